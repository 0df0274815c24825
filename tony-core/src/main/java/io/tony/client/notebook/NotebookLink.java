package io.tony.client.notebook;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

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

  /** Writes it for its user's eyes only, for as long as this process lives. */
  public void write(Path file) throws IOException {
    Files.deleteIfExists(file);
    file.toFile().deleteOnExit();
    try (var channel =
        Files.newByteChannel(
            file,
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
      channel.write(StandardCharsets.UTF_8.encode(url() + "\n"));
    }
  }

  /** Without the token. */
  @Override
  public String toString() {
    return "http://127.0.0.1:" + port + "/";
  }
}
