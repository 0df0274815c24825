package io.tony.client.notebook;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Optional;

/**
 * The link that opens the notebook in a browser on this machine. It is a secret: whoever has it can
 * run code as the job's user.
 *
 * @param port port of this machine that is forwarded to the notebook
 * @param token Jupyter's token
 */
public record NotebookLink(int port, String token) {
  public String url() {
    return "http://127.0.0.1:" + port + "/?token=" + token;
  }

  /**
   * Returns the ssh command that the user runs on their own computer to forward the notebook's port
   * to this machine. Empty if the user is not logged in to this machine by ssh.
   */
  public Optional<String> sshCommand(Map<String, String> environment) {
    String[] connection = environment.getOrDefault("SSH_CONNECTION", "").split(" ", -1);
    return connection.length == 4 // the third field of SSH_CONNECTION is this machine's address
        ? Optional.of("ssh -L " + port + ":127.0.0.1:" + port + " " + connection[2])
        : Optional.empty();
  }

  /** Throws an exception if the file for the link cannot be written. */
  public static void checkWritable(Path file) throws IOException {
    Files.delete(create(file));
  }

  /**
   * Deletes the file, so that an earlier notebook's link in it is not mistaken for the new
   * notebook's.
   */
  public static void delete(Path file) throws IOException {
    Files.deleteIfExists(file);
  }

  /**
   * Writes the link into a file that only the user can read. The file never appears half-written,
   * and is deleted when this process exits normally.
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

  /** Returns the link without the token, because texts may be logged. */
  @Override
  public String toString() {
    return "http://127.0.0.1:" + port + "/";
  }
}
