package io.tony.azkaban;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;

import java.io.DataInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.Test;

public final class PluginBytecodeTest {

  private static final int JAVA_8 = 52;

  @Test
  public void shouldLoadInAnAzkabanThatRunsOnJava8() throws IOException {
    List<Path> classes;
    try (Stream<Path> files = Files.walk(InstalledPlugin.classesOf(TonyJob.class))) {
      classes = files.filter(file -> file.toString().endsWith(".class")).toList();
    }
    assertFalse(classes.isEmpty());
    for (Path file : classes) {
      try (DataInputStream in = new DataInputStream(Files.newInputStream(file))) {
        assertEquals(file.toString(), 0xCAFEBABE, in.readInt());
        in.readUnsignedShort();
        assertEquals(file.toString(), JAVA_8, in.readUnsignedShort());
      }
    }
  }
}
