package io.tony.executor;

import io.tony.protocol.DelegatedTokens;
import io.tony.protocol.proto.TonyProtos.Tokens;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.UserGroupInformation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tokens that the user's program is given, in a file that Hadoop's clients read: those of file
 * systems and services, and nothing with which it could speak for this executor or to YARN. Newer
 * ones replace the file as a whole. Thread-safe.
 */
final class ProgramTokens {
  private static final Logger LOG = LoggerFactory.getLogger(ProgramTokens.class);

  /** By which Hadoop's clients find the file. */
  static final String VARIABLE = UserGroupInformation.HADOOP_TOKEN_FILE_LOCATION;

  private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  private final Path file;
  private final UserGroupInformation own;
  private volatile long version;

  private ProgramTokens(Path file, UserGroupInformation own) {
    this.file = file;
    this.own = own;
  }

  /** Writes what of the executor's own tokens is the program's. */
  static ProgramTokens write(Path workingDirectory, UserGroupInformation own) throws IOException {
    ProgramTokens tokens = new ProgramTokens(workingDirectory.resolve(".tony/tokens"), own);
    tokens.write();
    return tokens;
  }

  /** Where the program finds them; empty without any. An earlier program may have tidied up. */
  Map<String, String> environment() throws IOException {
    if (!Files.exists(file)) {
      write();
    }
    return Files.exists(file) ? Map.of(VARIABLE, file.toString()) : Map.of();
  }

  /** Which they are; 0 for those of the launch. */
  long version() {
    return version;
  }

  /** When it fails, the answer to the next heartbeat brings them again. */
  void replace(Tokens newer) {
    try {
      own.addCredentials(DelegatedTokens.read(newer));
      write();
      version = newer.getVersion();
      LOG.info("The tokens were replaced by newer ones");
    } catch (IOException e) {
      LOG.warn("Newer tokens cannot be handed to the program: {}", e.toString());
    }
  }

  private synchronized void write() throws IOException {
    Credentials theirs = DelegatedTokens.of(own.getCredentials());
    if (theirs.numberOfTokens() == 0) {
      return;
    }
    Files.createDirectories(file.getParent());
    Path written = file.resolveSibling("tokens.new");
    Files.deleteIfExists(written);
    Files.createFile(written, OWNER_ONLY);
    try (DataOutputStream out = new DataOutputStream(Files.newOutputStream(written))) {
      theirs.writeTokenStorageToStream(out);
    }
    Files.move(written, file, StandardCopyOption.ATOMIC_MOVE);
  }
}
