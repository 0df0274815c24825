package io.tony.executor.program;

import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.Test;

/** On this machine, whose first process stands for what YARN has started in a container. */
public class DockerProcessesTest {
  @Test
  public void shouldKnowTheContainerByItsFirstProcess() throws Exception {
    String first =
        Files.readString(Path.of("/proc/1/cmdline"), StandardCharsets.ISO_8859_1)
            .split("\0", -1)[0];

    assertTrue(DockerDetector.isInContainer(first));
    assertFalse(DockerDetector.isInContainer("container_1700000000000_0001_01_000002"));
    assertFalse("outside YARN", DockerDetector.isInContainer(null));
  }
}
