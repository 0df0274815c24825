package io.tony.azkaban;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertTrue;

import io.tony.testing.BuildArtifacts;
import io.tony.testing.TonyCommand;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** The client of this build, started with the options that the job type has for it. */
public final class ClientArchiveIT {

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  /** A client that ran no job deletes its notes, which it finds by the name that it was told. */
  @Test
  public void shouldTellTheClientWhereItNotesItsClasses() throws Exception {
    File folder = temporary.newFolder("classes");
    Files.setPosixFilePermissions(folder.toPath(), PosixFilePermissions.fromString("rwx------"));
    assertTrue(folder.setLastModified(0));
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    List<String> options = ClientArchive.options(folder.toString(), command);
    assertEquals(3, options.size());
    command.addAll(options);
    command.addAll(List.of("io.tony.client.TonyCli", "help"));
    ProcessBuilder client = new ProcessBuilder(command);
    client
        .environment()
        .put("CLASSPATH", BuildArtifacts.coreJar() + ":" + BuildArtifacts.hadoopJars() + "/*");

    try (TonyCommand help = TonyCommand.start(client)) {
      help.assertExit(0);
    }

    assertNotEquals("notes were made", 0, folder.lastModified());
    assertArrayEquals(new String[0], folder.list());
  }
}
