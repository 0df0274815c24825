package io.tony.executor.token;

import io.tony.executor.settings.ExecutorLog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Set;

/**
 * The tokens that the user's program is given, in a file that Hadoop's clients read: those of file
 * systems and services, and nothing with which it could speak for this executor or to YARN. Newer
 * ones replace the file as a whole. Thread-safe.
 */
public final class ProgramTokens {
  private static final ExecutorLog LOG = new ExecutorLog(ProgramTokens.class);

  /** By which Hadoop's clients find the file. */
  public static final String VARIABLE = "HADOOP_TOKEN_FILE_LOCATION";

  private final Path file;
  private volatile TokenFile tokens;
  private volatile long version;

  private ProgramTokens(Path file, TokenFile tokens) {
    this.file = file;
    this.tokens = tokens;
  }

  /** Writes what of the executor's own tokens is the program's. */
  public static ProgramTokens write(Path workingDirectory, TokenFile containerTokens)
      throws IOException {
    ProgramTokens tokens =
        new ProgramTokens(workingDirectory.resolve(".tony/tokens"), containerTokens.forPrograms());
    tokens.write();
    return tokens;
  }

  /** Where the program finds them; empty without any. An earlier program may have tidied up. */
  public Map<String, String> environment() throws IOException {
    if (!Files.exists(file)) {
      write();
    }
    return Files.exists(file) ? Map.of(VARIABLE, file.toString()) : Map.of();
  }

  /** Which they are; 0 for those of the launch. */
  public long version() {
    return version;
  }

  /** In the format of their file. */
  public byte[] toBytes() {
    return tokens.toBytes();
  }

  /** When it fails, the answer to the next heartbeat brings them again. */
  public void replace(byte[] newer, long newerVersion) {
    try {
      tokens = tokens.with(TokenFile.read(newer).forPrograms());
      write();
      version = newerVersion;
      LOG.info("the tokens were replaced by newer ones");
    } catch (IOException e) {
      LOG.warn("newer tokens cannot be handed to the program: " + e);
    }
  }

  private synchronized void write() throws IOException {
    if (tokens.isEmpty()) {
      return;
    }
    FileAttribute<Set<PosixFilePermission>> ownerOnly =
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
    Files.createDirectories(file.getParent());
    Path written = file.resolveSibling("tokens.new");
    Files.deleteIfExists(written);
    Files.createFile(written, ownerOnly);
    Files.write(written, tokens.toBytes());
    Files.move(written, file, StandardCopyOption.ATOMIC_MOVE);
  }
}
