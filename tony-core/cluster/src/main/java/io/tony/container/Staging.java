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
 * The staging folder, which holds an application's files while the application runs; only its owner
 * can read it. This class alone knows the folder's layout. The ApplicationMaster deletes the folder
 * at the end of the job; if no ApplicationMaster could, the client deletes it.
 */
public final class Staging {
  private static final FsPermission OWNER_ONLY_FOLDER = new FsPermission((short) 0700);
  private static final FsPermission OWNER_ONLY_FILE = new FsPermission((short) 0600);

  /**
   * Name of the job's configuration file, both in the staging folder and in the ApplicationMaster's
   * container.
   */
  public static final String CONFIG_FILE = "tony-job.properties";

  /** Name of TonY's own jar in every container. */
  public static final String JAR = "tony-core.jar";

  /** Name of the archive of the user's source folder, in the staging folder. */
  public static final String SOURCE = "src.tar.gz";

  /** Name of the archive of the user's source folder, in a task's working directory. */
  public static final String SOURCE_IN_TASK = ".tony-src.tar.gz";

  /** Name of the folder in a container into which YARN unpacks {@code tony.java.archive}. */
  public static final String JAVA = ".tony-java";

  /**
   * Matches the names of claim files, with which an ApplicationMaster claims the right to write the
   * address file. Such a name ends with the number of the AM attempt.
   */
  private static final Pattern CLAIM_FILE = Pattern.compile("master\\.of-(\\d{1,9})");

  private final FileSystem fs;
  private final Path folder;

  /**
   * Creates an instance; does not access the file system.
   *
   * @param location parent of all staging folders; a relative path is below the user's home folder
   * @param application id of the YARN application
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

  /**
   * Returns the path of the job's configuration for the ApplicationMaster. In it, paths of files on
   * the client's machine are replaced by the paths of their copies on the cluster.
   */
  public Path config() {
    return new Path(folder, CONFIG_FILE);
  }

  /**
   * Returns the path of TonY's own jar, which is staged only if the job does not use the shared
   * jar.
   */
  public Path jar() {
    return new Path(folder, JAR);
  }

  /**
   * Returns the path of the archive of the user's source folder, which is staged only if the job
   * does not use a cached archive.
   */
  public Path source() {
    return new Path(folder, SOURCE);
  }

  /**
   * Returns the path of a staged file of the user. The number distinguishes files with the same
   * name.
   */
  public Path file(int number, String name) {
    return new Path(folder, "file-" + number + "-" + name);
  }

  /**
   * Returns the path of the file that contains the host and port of the current ApplicationMaster,
   * for the executors.
   */
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
   * Creates a file of this folder and opens it for writing. Fails if the staging folder does not
   * exist: if a call arrives after the folder's deletion, it must not create the folder again.
   */
  public FSDataOutputStream write(Path file) throws IOException {
    return fs.createFile(file).permission(OWNER_ONLY_FILE).build();
  }

  /** Writes the job's configuration, which may contain secrets, to {@link #config}. */
  public void writeConfig(TonyConfig config) throws IOException {
    try (Writer out = new OutputStreamWriter(write(config()), StandardCharsets.UTF_8)) {
      config.write(out);
    }
  }

  /**
   * Reads the job's configuration from the working directory of this process, an
   * ApplicationMaster's container.
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
   * Writes the credentials with which later clients of the same owner authenticate to the
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
   * Publishes the ApplicationMaster's address to the executors, which read either the old or the
   * new address, never a part.
   *
   * <p>Several AM attempts may publish at the same time; the latest attempt wins. An attempt first
   * creates its claim file and then deletes the address files that earlier attempts have written
   * but not yet published. An earlier attempt that writes its address file after this deletion
   * finds the later claim and does not publish.
   *
   * @param attempt number of the AM attempt, from 1
   * @return false if a later attempt has claimed the address; nothing was published then
   */
  public boolean tryPublishAddress(int attempt, Endpoint address) throws IOException {
    if (attempt > 1) {
      write(claimFile(attempt)).close();
      fs.delete(master().suffix(".new"), false); // name of the file in TonY 0.2
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
    // FileContext renames the file here, because FileSystem has no public rename that overwrites
    // its target.
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
   * Reads the address that {@link #tryPublishAddress} published.
   *
   * @param master path of the address file
   */
  public static Endpoint readAddress(FileSystem fs, Path master) throws IOException {
    try (InputStream in = fs.open(master)) {
      return Endpoint.parse(new String(in.readAllBytes(), StandardCharsets.UTF_8));
    }
  }

  /**
   * Records that a client is following the application. Other clients read this when no
   * ApplicationMaster can be reached. Rewrites a file instead of setting its modification time,
   * because some file systems cannot set it.
   */
  public void recordClientAlive() throws IOException {
    fs.createFile(clientFile()).overwrite(true).permission(OWNER_ONLY_FILE).build().close();
  }

  /**
   * Returns the time of the last {@link #recordClientAlive}, by the file system's clock.
   *
   * @return empty if no client was recorded, or the staging folder has been deleted
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

  /** Serializes credentials for a container launch context. */
  public static ByteBuffer forContainer(Credentials credentials) throws IOException {
    DataOutputBuffer buffer = new DataOutputBuffer();
    credentials.writeTokenStorageToStream(buffer);
    return ByteBuffer.wrap(buffer.getData(), 0, buffer.getLength());
  }
}
