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
 * Delegation tokens for the user's program, in a file that Hadoop clients read: the container's
 * tokens for file systems and services, but none with which the program could act as this executor
 * or make calls to YARN. When newer tokens arrive, the file is replaced atomically. Thread-safe.
 */
public final class ProgramTokens {
  private static final ExecutorLog LOG = new ExecutorLog(ProgramTokens.class);

  /** Environment variable that tells Hadoop clients the path of the token file. */
  public static final String VARIABLE = "HADOOP_TOKEN_FILE_LOCATION";

  private final Path file;
  private volatile TokenFile tokens;
  private volatile long version;

  private ProgramTokens(Path file, TokenFile tokens) {
    this.file = file;
    this.tokens = tokens;
  }

  /**
   * Writes those of the container's tokens that the program may have into a file below {@code
   * workingDirectory}.
   */
  public static ProgramTokens write(Path workingDirectory, TokenFile containerTokens)
      throws IOException {
    ProgramTokens tokens =
        new ProgramTokens(workingDirectory.resolve(".tony/tokens"), containerTokens.forPrograms());
    tokens.write();
    return tokens;
  }

  /**
   * Returns {@link #VARIABLE} with the path of the token file, for the program's environment; empty
   * if the program has no tokens. Writes the file again if an earlier program has deleted it.
   */
  public Map<String, String> environment() throws IOException {
    if (!Files.exists(file)) {
      write();
    }
    return Files.exists(file) ? Map.of(VARIABLE, file.toString()) : Map.of();
  }

  /** Returns the version of the tokens; 0 for those with which the container was launched. */
  public long version() {
    return version;
  }

  /** Returns the tokens in Hadoop's token file format. */
  public byte[] toBytes() {
    return tokens.toBytes();
  }

  /**
   * Adds newer tokens, which replace those of the same alias, and rewrites the file. If this fails,
   * the version stays unchanged, so that the ApplicationMaster sends the tokens again with the
   * reply to the next heartbeat.
   */
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
