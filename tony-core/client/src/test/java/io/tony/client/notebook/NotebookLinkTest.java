package io.tony.client.notebook;

import static org.junit.Assert.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class NotebookLinkTest {
  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  private final NotebookLink link = new NotebookLink(8888, "abc");

  @Test
  public void shouldBeWrittenForItsUserOnly() throws IOException {
    Path file = folder.newFile().toPath();
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));

    NotebookLink.checkWritable(file);
    link.write(file);

    assertEquals("http://127.0.0.1:8888/?token=abc\n", Files.readString(file));
    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
    assertEquals("nothing else is left", List.of(file.getFileName().toString()), names());
    assertEquals("http://127.0.0.1:8888/", link.toString());
  }

  private List<String> names() {
    return List.of(folder.getRoot().list());
  }

  @Test
  public void shouldSayHowToReachItFromTheUsersMachine() {
    assertEquals(
        Optional.of("ssh -L 8888:127.0.0.1:8888 10.1.2.3"),
        link.sshCommand(Map.of("SSH_CONNECTION", "192.168.0.7 51022 10.1.2.3 22")));
    assertEquals(Optional.empty(), link.sshCommand(Map.of()));
    assertEquals(Optional.empty(), link.sshCommand(Map.of("SSH_CONNECTION", "odd")));
  }
}
