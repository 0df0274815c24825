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
 * The folder in which an application's files lie while it runs, readable by its owner only. Its
 * layout is known here and nowhere else. The ApplicationMaster deletes it at the end; the client
 * does where no ApplicationMaster could.
 */
public final class Staging {
  private static final FsPermission OWNER_ONLY_FOLDER = new FsPermission((short) 0700);
  private static final FsPermission OWNER_ONLY_FILE = new FsPermission((short) 0600);

  /** Name of the job's configuration, in the folder and in the ApplicationMaster's container. */
  public static final String CONFIG_FILE = "tony-job.properties";

  /** Name of the jar with this program, in every container. */
  public static final String JAR = "tony-core.jar";

  /** Name of the archive of the user's source folder. */
  public static final String SOURCE = "src.tar.gz";

  /** What the same archive is called in a task's working directory. */
  public static final String SOURCE_IN_TASK = ".tony-src.tar.gz";

  /** Name of an ApplicationMaster's sign that it writes its address, with its number. */
  private static final Pattern CLAIM_FILE = Pattern.compile("master\\.of-(\\d{1,9})");

  private final FileSystem fs;
  private final Path folder;

  /**
   * @param location the folder of all such folders; below the user's home unless it is absolute
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

  /** The job's configuration, as the ApplicationMaster reads it: with staged sources only. */
  public Path config() {
    return new Path(folder, CONFIG_FILE);
  }

  /** The jar with this program, where the job has it to itself. */
  public Path jar() {
    return new Path(folder, JAR);
  }

  /** The archive of the user's source folder, where the job has it to itself. */
  public Path source() {
    return new Path(folder, SOURCE);
  }

  /** A file of the user's; numbered, because two may have one name. */
  public Path file(int number, String name) {
    return new Path(folder, "file-" + number + "-" + name);
  }

  /** The address at which the job's present ApplicationMaster serves its executors. */
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
   * Opens a new file of this folder. It never brings the folder back: a call that was interrupted
   * may reach the file system after the folder's deletion.
   */
  public FSDataOutputStream write(Path file) throws IOException {
    return fs.createFile(file).permission(OWNER_ONLY_FILE).build();
  }

  /** Writes the job's configuration, which may hold secrets. */
  public void writeConfig(TonyConfig config) throws IOException {
    try (Writer out = new OutputStreamWriter(write(config()), StandardCharsets.UTF_8)) {
      config.write(out);
    }
  }

  /** The same, in the working directory of the ApplicationMaster's container. */
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

  /** Leaves the credentials with which the owner's later clients reach the ApplicationMaster. */
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
   * Tells the executors where to find the ApplicationMaster; they see the old address or this. An
   * earlier ApplicationMaster may do so at the same moment, and the later one wins: it first leaves
   * a sign, and then deletes what the earlier one has written and not shown. What is written after
   * that is not shown, because the sign is looked for in between.
   *
   * @param attempt the number of the ApplicationMaster
   * @return false where a later one has begun to do so, and executors are told nothing
   */
  public boolean writeMaster(int attempt, Endpoint address) throws IOException {
    if (attempt > 1) {
      write(claimFile(attempt)).close();
      fs.delete(master().suffix(".new"), false); // of release 0.2
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
    // FileSystem has no rename for everybody that replaces.
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

  /** What {@link #writeMaster} wrote, for who knows the file only. */
  public static Endpoint readMaster(FileSystem fs, Path master) throws IOException {
    try (InputStream in = fs.open(master)) {
      return Endpoint.parse(new String(in.readAllBytes(), StandardCharsets.UTF_8));
    }
  }

  /**
   * Leaves a sign that a client follows the application, for clients that want to know while no
   * ApplicationMaster can be asked. Writing the file anew works where a file system keeps no times
   * that are set.
   */
  public void recordClientAlive() throws IOException {
    fs.createFile(clientFile()).overwrite(true).permission(OWNER_ONLY_FILE).build().close();
  }

  /**
   * When {@link #recordClientAlive} was last called, by the file system's clock.
   *
   * @return empty where it never was, or the folder is gone
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

  /** Credentials in the form in which they travel to a container. */
  public static ByteBuffer forContainer(Credentials credentials) throws IOException {
    DataOutputBuffer buffer = new DataOutputBuffer();
    credentials.writeTokenStorageToStream(buffer);
    return ByteBuffer.wrap(buffer.getData(), 0, buffer.getLength());
  }
}
