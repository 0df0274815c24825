package io.tony.container;

import io.tony.config.TonyConfig;
import io.tony.model.Endpoint;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Reader;
import java.io.Writer;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Instant;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.security.Credentials;

/**
 * The staging folder, which holds an application's files while it runs and is readable by its owner
 * only. This class alone knows the layout of the folder. The ApplicationMaster deletes the folder
 * at the end; the client does if no ApplicationMaster could.
 */
public final class Staging {
  private static final FsPermission OWNER_ONLY_FOLDER = new FsPermission((short) 0700);
  private static final FsPermission OWNER_ONLY_FILE = new FsPermission((short) 0600);

  /**
   * Name of the job's configuration file, in the folder and in the ApplicationMaster's container.
   */
  public static final String CONFIG_FILE = "tony-job.properties";

  /** Name of TonY's own jar in every container. */
  public static final String JAR = "tony-core.jar";

  /** Name of the archive with the user's source folder. */
  public static final String SOURCE = "src.tar.gz";

  /** Name of the source archive in a task's working directory. */
  public static final String SOURCE_IN_TASK = ".tony-src.tar.gz";

  /**
   * Files by which an ApplicationMaster claims the address file; the number is that of the AM
   * attempt.
   */
  private static final Pattern CLAIM_FILE = Pattern.compile("master\\.of-(\\d{1,9})");

  private final FileSystem fs;
  private final Path folder;

  /**
   * Creates an instance without touching the file system.
   *
   * @param location parent of all staging folders; below the user's home unless absolute
   */
  public Staging(FileSystem fs, String location, String application) {
    this.fs = fs;
    this.folder = new Path(new Path(fs.getHomeDirectory(), location), application);
  }

  public FileSystem fileSystem() {
    return fs;
  }

  public Path folder() {
    return folder;
  }

  /** The job's configuration as the ApplicationMaster reads it; refers to staged files only. */
  public Path config() {
    return new Path(folder, CONFIG_FILE);
  }

  /** TonY's own jar, if the job does not use the shared one. */
  public Path jar() {
    return new Path(folder, JAR);
  }

  /** The archive of the user's source folder, if the job does not use a cached one. */
  public Path source() {
    return new Path(folder, SOURCE);
  }

  /** A file of the user. Numbered, because two files may have the same name. */
  public Path file(int number, String name) {
    return new Path(folder, "file-" + number + "-" + name);
  }

  /** The file with the address at which the current ApplicationMaster serves its executors. */
  public Path master() {
    return new Path(folder, "master");
  }

  private Path clientFile() {
    return new Path(folder, "client");
  }

  private Path credentials() {
    return new Path(folder, "credentials");
  }

  public void create() throws IOException {
    FileSystem.mkdirs(fs, folder, OWNER_ONLY_FOLDER);
  }

  /**
   * Creates and opens a file of this folder. Never creates the folder: a call that was interrupted
   * may reach the file system after the folder has been deleted.
   */
  public FSDataOutputStream write(Path file) throws IOException {
    return fs.createFile(file).permission(OWNER_ONLY_FILE).build();
  }

  /** Writes the job's configuration, which may contain secrets. */
  public void writeConfig(TonyConfig config) throws IOException {
    try (Writer out = new OutputStreamWriter(write(config()), StandardCharsets.UTF_8)) {
      config.write(out);
    }
  }

  /**
   * Reads the job's configuration from the working directory of the ApplicationMaster's container.
   */
  public static TonyConfig readLocalConfig() throws IOException {
    try (Reader in = Files.newBufferedReader(java.nio.file.Path.of(CONFIG_FILE))) {
      return TonyConfig.read(in);
    }
  }

  public TonyConfig readConfig() throws IOException {
    try (Reader in = new InputStreamReader(fs.open(config()), StandardCharsets.UTF_8)) {
      return TonyConfig.read(in);
    }
  }

  /**
   * Writes the credentials with which the owner's later clients authenticate to the
   * ApplicationMaster.
   */
  public void writeCredentials(Credentials credentials) throws IOException {
    try (FSDataOutputStream out = write(credentials())) {
      credentials.writeTokenStorageToStream(new DataOutputStream(out));
    }
  }

  public Credentials readCredentials() throws IOException {
    Credentials credentials = new Credentials();
    try (DataInputStream in = fs.open(credentials())) {
      credentials.readTokenStorageStream(in);
    }
    return credentials;
  }

  /**
   * Publishes the ApplicationMaster's address to the executors. The replacement is atomic: they
   * read the old address or the new one.
   *
   * <p>An earlier AM attempt may do so at the same time; the later attempt wins. It first creates a
   * claim file, then deletes addresses that earlier attempts have written but not yet published. An
   * earlier attempt that writes its address afterwards finds the claim before it publishes.
   *
   * @param attempt number of the AM attempt, from 1
   * @return false if a later attempt has claimed the address; nothing was published then
   */
  public boolean tryPublishAddress(int attempt, Endpoint address) throws IOException {
    if (attempt > 1) {
      write(claimFile(attempt)).close();
      fs.delete(master().suffix(".new"), false); // written by release 0.2
      for (int earlier = 1; earlier < attempt; earlier++) {
        fs.delete(newAddressFile(earlier), false);
      }
    }
    try (Writer out =
        new OutputStreamWriter(write(newAddressFile(attempt)), StandardCharsets.UTF_8)) {
      out.write(address.toString());
    }
    for (FileStatus file : fs.listStatus(folder)) {
      Matcher later = CLAIM_FILE.matcher(file.getPath().getName());
      if (later.matches() && Integer.parseInt(later.group(1)) > attempt) {
        return false;
      }
    }
    // FileSystem has no public rename that replaces its target.
    FileContext.getFileContext(folder.toUri(), fs.getConf())
        .rename(newAddressFile(attempt), master(), Options.Rename.OVERWRITE);
    return true;
  }

  private Path newAddressFile(int attempt) {
    return master().suffix(".new-" + attempt);
  }

  private Path claimFile(int attempt) {
    return master().suffix(".of-" + attempt);
  }

  /**
   * Reads the address that {@link #tryPublishAddress} has written, for callers without a Staging.
   */
  public static Endpoint readAddress(FileSystem fs, Path master) throws IOException {
    try (InputStream in = fs.open(master)) {
      return Endpoint.parse(new String(in.readAllBytes(), StandardCharsets.UTF_8));
    }
  }

  /**
   * Records that a client is following the application, for clients that need to know while no
   * ApplicationMaster can be reached. Rewrites a file instead of setting its time, because some
   * file systems do not support the latter.
   */
  public void recordClientAlive() throws IOException {
    fs.createFile(clientFile()).overwrite(true).permission(OWNER_ONLY_FILE).build().close();
  }

  /**
   * Returns when {@link #recordClientAlive} was last called, by the file system's clock.
   *
   * @return empty if it was never called, or the folder has been deleted
   */
  public Optional<Instant> clientLastSeen() throws IOException {
    try {
      return Optional.of(
          Instant.ofEpochMilli(fs.getFileStatus(clientFile()).getModificationTime()));
    } catch (FileNotFoundException e) {
      return Optional.empty();
    }
  }

  public void delete() throws IOException {
    fs.delete(folder, true);
  }

  /** Serializes credentials in the form that a container launch context takes. */
  public static ByteBuffer forContainer(Credentials credentials) throws IOException {
    DataOutputBuffer buffer = new DataOutputBuffer();
    credentials.writeTokenStorageToStream(buffer);
    return ByteBuffer.wrap(buffer.getData(), 0, buffer.getLength());
  }
}
