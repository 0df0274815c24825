package io.tony.client.notebook;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Optional;

/**
 * What opens the notebook in a browser: whoever has it can run programs as the job's user.
 *
 * @param port of this machine
 * @param token what Jupyter wants
 */
public record NotebookLink(int port, String token) {
  public String url() {
    return "http://127.0.0.1:" + port + "/?token=" + token;
  }

  /** What makes the port one of the user's own machine, where this one was entered by ssh. */
  public Optional<String> sshCommand(Map<String, String> environment) {
    String[] connection = environment.getOrDefault("SSH_CONNECTION", "").split(" ", -1);
    return connection.length == 4 // this end's address is the third
        ? Optional.of("ssh -L " + port + ":127.0.0.1:" + port + " " + connection[2])
        : Optional.empty();
  }

  /** Fails where it could not be written. */
  public static void checkWritable(Path file) throws IOException {
    Files.delete(create(file));
  }

  /** Of an older notebook: nobody is to take it for the new one. */
  public static void delete(Path file) throws IOException {
    Files.deleteIfExists(file);
  }

  /**
   * Writes it, for its user's eyes only. It is there at once as a whole, until this process ends in
   * order.
   */
  public void write(Path file) throws IOException {
    Path temporaryFile = create(file);
    Files.writeString(temporaryFile, url() + "\n");
    Files.move(temporaryFile, file, StandardCopyOption.ATOMIC_MOVE);
    file.toFile().deleteOnExit();
  }

  private static Path create(Path file) throws IOException {
    return Files.createTempFile(
        file.toAbsolutePath().getParent(),
        ".tony-link",
        null,
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
  }

  /** Without the token. */
  @Override
  public String toString() {
    return "http://127.0.0.1:" + port + "/";
  }
}
