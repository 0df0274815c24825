package io.tony.client.submit;

import io.tony.client.input.JobFolder;
import io.tony.client.input.Sha256;
import io.tony.client.input.SourceArchive;
import io.tony.config.Secrets;
import io.tony.config.TonyConfig;
import io.tony.config.declared.JobOptions;
import io.tony.config.declared.ProgramOptions;
import io.tony.model.FileSpec;
import io.tony.model.JobSpec;
import io.tony.model.RoleSpec;
import io.tony.model.Supervision;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;

/**
 * Computes a hash of what a job does: of its options and of the contents of the files that it
 * ships. For remote files, length and modification time are hashed instead of the contents. If two
 * executions of a step have the same hash, they would train the same.
 *
 * <p>The hash is written to event logs and checkpoint manifests, where other users could use it to
 * verify guesses of secrets. Of a value that looks like a secret, by name or form, only its
 * presence is therefore hashed.
 */
final class Specification {
  /** Options that differ between executions of the same step and are not hashed. */
  private static final Set<String> EXECUTION_KEYS =
      Set.of(JobOptions.NAME.key(), JobOptions.TAGS.key());

  private static final String AZKABAN_PREFIX = "tony.azkaban.";

  private final MessageDigest digest = Sha256.newDigest();

  private Specification() {}

  /**
   * Returns the job's hash and, if it is different, the hash that TonY 0.2 would compute, for
   * comparison with applications that a client of that version submitted. Reads all local files of
   * the job.
   */
  static List<String> hashes(TonyConfig config, JobSpec job, JobFolder folder, Configuration conf)
      throws IOException {
    Map<String, String> contents = new TreeMap<>();
    Map<String, String> packedContents = new TreeMap<>();
    for (String source :
        sources(config, job, role -> true).filter(Specification::isLocal).toList()) {
      java.nio.file.Path path = folder.resolve(source);
      if (Files.isDirectory(path)) {
        MessageDigest packed = Sha256.newDigest();
        OutputStream out = new DigestOutputStream(OutputStream.nullOutputStream(), packed);
        contents.put(source, SourceArchive.write(path, folder, out));
        packedContents.put(source, Sha256.hexDigest(packed));
      } else {
        contents.put(source, Sha256.of(folder.file(path)));
        packedContents.put(source, contents.get(source));
      }
    }
    List<String> hashes = new ArrayList<>(List.of(hash(config, job, folder, conf, contents)));
    if (!contents.equals(packedContents)) {
      hashes.add(hash(config, job, folder, conf, packedContents));
    }
    return hashes;
  }

  /**
   * Like {@link #hashes}, but uses the given hashes of the local files' contents.
   *
   * @param config the options as the user gave them
   * @param contents hashes of the local files and folders, by the paths with which the job refers
   *     to them
   */
  static String hash(
      TonyConfig config,
      JobSpec job,
      JobFolder folder,
      Configuration conf,
      Map<String, String> contents)
      throws IOException {
    Specification specification = new Specification();
    for (Map.Entry<String, String> option : config.asMap().entrySet()) {
      if (!option.getKey().startsWith(AZKABAN_PREFIX)
          && !EXECUTION_KEYS.contains(option.getKey())) {
        String value = withoutSecret(option.getKey(), option.getValue());
        specification.add(option.getKey(), relativize(folder, value));
      }
    }
    specification.addFiles(sources(config, job, role -> true), folder, conf, contents);
    return Sha256.hexDigest(specification.digest);
  }

  /**
   * Returns a hash of what a job trains: of its framework and of the commands, environment and
   * files of the user's programs, without sidecars. The number of tasks, where they run and how
   * failures are handled do not affect the hash.
   *
   * @param contents as in {@link #hash}
   */
  static String trainingHash(
      TonyConfig config,
      JobSpec job,
      JobFolder folder,
      Configuration conf,
      Map<String, String> contents)
      throws IOException {
    Specification specification = new Specification();
    specification.add("framework", job.framework());
    specification.addEnvironment("", job.env(), folder);
    for (RoleSpec role : job.roles().stream().filter(Specification::isTraining).toList()) {
      specification.add(role.name(), relativize(folder, Secrets.maskText(role.command())));
      specification.addEnvironment(role.name(), role.env(), folder);
      specification.add("image", role.docker() == null ? "" : role.docker().image());
    }
    Stream<String> sources = sources(config, job, Specification::isTraining);
    specification.addFiles(sources, folder, conf, contents);
    return Sha256.hexDigest(specification.digest);
  }

  private void addEnvironment(String role, Map<String, String> env, JobFolder folder) {
    new TreeMap<>(env)
        .forEach(
            (name, value) ->
                add(role + " " + name, relativize(folder, withoutSecret(name, value))));
  }

  /**
   * Masks secrets in a value. The whole value is masked only if its name is that of a secret. Other
   * values that TonY hides from users, such as environment variables, are hashed, because they may
   * affect the training (for example a learning rate).
   */
  private static String withoutSecret(String key, String value) {
    String masked = Secrets.mask(key, value);
    return masked.equals(Secrets.MASK) && !Secrets.isSecretName(key)
        ? Secrets.maskText(value)
        : masked;
  }

  private static boolean isTraining(RoleSpec role) {
    return role.supervision() != Supervision.SIDECAR;
  }

  private void addFiles(
      Stream<String> sources, JobFolder folder, Configuration conf, Map<String, String> contents)
      throws IOException {
    Map<Boolean, List<String>> all =
        sources.collect(Collectors.partitioningBy(Specification::isLocal));
    for (String source : new TreeSet<>(Objects.requireNonNull(all.get(true)))) {
      add(relativize(folder, source), contents.getOrDefault(source, ""));
    }
    for (String source : Objects.requireNonNull(all.get(false))) {
      add(Secrets.maskText(source), remoteState(source, conf));
    }
  }

  /**
   * Removes the path of the execution's folder from a text, because each execution has the same
   * files in a folder of its own.
   */
  private static String relativize(JobFolder folder, String text) {
    return text.replace(folder.executionFolder().toString(), "");
  }

  private static String remoteState(String remote, Configuration conf) throws IOException {
    Path path = new Path(remote);
    // If the path is that of a file, the list contains only the file itself.
    FileStatus[] files = path.getFileSystem(conf).listStatus(path);
    return Stream.of(files)
        .map(file -> file.getPath() + " " + file.getLen() + " " + file.getModificationTime())
        .sorted()
        .collect(Collectors.joining("\n"));
  }

  private void add(String name, String value) {
    for (String part : new String[] {name, value}) {
      byte[] bytes = part.getBytes(StandardCharsets.UTF_8);
      digest.update((bytes.length + ":").getBytes(StandardCharsets.UTF_8));
      digest.update(bytes);
    }
  }

  /**
   * Returns the files and folders that a job ships or has on its class path, as the paths with
   * which the job refers to them.
   *
   * @param which the roles whose files are included
   */
  private static Stream<String> sources(TonyConfig config, JobSpec job, Predicate<RoleSpec> which) {
    Stream<FileSpec> files = job.files().stream();
    for (RoleSpec role : job.roles().stream().filter(which).toList()) {
      files = Stream.concat(files, role.files().stream());
    }
    return Stream.concat(
            Stream.concat(
                config.find(ProgramOptions.SRC_DIR).stream(),
                config.get(ProgramOptions.HDFS_CLASSPATH).stream()),
            files.map(FileSpec::source))
        .distinct();
  }

  private static boolean isLocal(String source) {
    return !new FileSpec(source, source, false).isRemote();
  }
}
