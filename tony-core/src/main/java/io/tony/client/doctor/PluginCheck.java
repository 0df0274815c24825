package io.tony.client.doctor;

import io.tony.client.source.Site;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;

/**
 * Checks the job type's folder in Azkaban: its files, and the settings of its {@code
 * plugin.properties}. The plugin checks the same whenever a job runs; here it is seen before.
 */
public final class PluginCheck {
  private static final String SETTINGS = "plugin.properties";
  private static final String JOB_TYPE = "io.tony.azkaban.TonyJob";
  private static final String PRIVATE = "private.properties";
  private static final String PATHS = "tony.client.allowed-paths";
  private static final String FILE_SYSTEMS = "tony.client.allowed-file-systems";
  private static final int LEAST_JAVA = 17;

  /** 8 of "1.8.0_392", 17 of "17.0.15". */
  private static final Pattern FEATURE = Pattern.compile("(?:1\\.)?([0-9]{1,4})");

  private final Path folder;
  private final Properties settings;
  private final List<String> problems = new ArrayList<>();
  private final List<String> doubts = new ArrayList<>();

  private PluginCheck(Path folder, Properties settings) {
    this.folder = folder;
    this.settings = settings;
  }

  /** Takes a folder as it is; a file that is missing is a finding. */
  public static PluginCheck of(Path folder) throws IOException {
    return new PluginCheck(folder.toAbsolutePath().normalize(), read(folder.resolve(SETTINGS)));
  }

  /** What jobs get from the administrator. */
  public Site site() {
    Map<String, String> defaults = new LinkedHashMap<>();
    for (String key : settings.stringPropertyNames()) {
      if (key.startsWith("tony.") && !key.startsWith("tony.client.")) {
        setting(key).ifPresent(value -> defaults.put(key, value));
      }
    }
    return new Site(
        defaults,
        list(PATHS).map(Path::of).toList(),
        list(FILE_SYSTEMS).filter(Site::isFileSystem).toList());
  }

  private Stream<String> list(String key) {
    return Stream.of(setting(key).orElse("").split(",", -1))
        .map(String::strip)
        .filter(part -> !part.isEmpty());
  }

  Finding look(Configuration conf) throws IOException {
    problems.clear();
    doubts.clear();
    files();
    java();
    hadoop();
    configuration(conf);
    users();
    allowed();
    if (!problems.isEmpty()) {
      return Finding.failed(
          String.join("; ", problems),
          "Copy the folder from the release again, or correct " + folder.resolve(SETTINGS));
    }
    return doubts.isEmpty()
        ? Finding.ok(folder + " is complete")
        : Finding.warning(
            String.join("; ", doubts), "Set what is missing in " + folder.resolve(SETTINGS));
  }

  private void files() throws IOException {
    String type = read(folder.resolve(PRIVATE)).getProperty("jobtype.class", "");
    if (!type.strip().equals(JOB_TYPE)) {
      problems.add(folder.resolve(PRIVATE) + " has no jobtype.class=" + JOB_TYPE);
    }
    one(folder, "azkaban-jobtype-tony-");
    one(folder.resolve("lib"), "tony-core-");
  }

  /** Two of them are what an upgrade leaves that copied over the old files. */
  private void one(Path place, String prefix) throws IOException {
    List<String> found = List.of();
    if (Files.isDirectory(place)) {
      try (Stream<Path> files = Files.list(place)) {
        found =
            files
                .map(file -> file.getFileName().toString())
                .filter(name -> name.startsWith(prefix) && name.endsWith(".jar"))
                .sorted()
                .toList();
      }
    }
    if (found.size() != 1) {
      problems.add(
          place
              + " holds "
              + (found.isEmpty()
                  ? "no " + prefix + "<version>.jar"
                  : found + ": remove the older"));
    }
  }

  private void java() throws IOException {
    Optional<Path> home = path("tony.client.java.home", "the Java that Azkaban runs on");
    if (home.isEmpty()) {
      return;
    }
    if (!Files.isExecutable(home.get().resolve("bin/java"))) {
      problems.add("tony.client.java.home is " + home.get() + ", which has no bin/java");
      return;
    }
    String version =
        read(home.get().resolve("release")).getProperty("JAVA_VERSION", "").replace("\"", "");
    Matcher feature = FEATURE.matcher(version);
    if (feature.lookingAt() && Integer.parseInt(feature.group(1)) < LEAST_JAVA) {
      problems.add(
          "tony.client.java.home is "
              + home.get()
              + ", which is Java "
              + version
              + "; the client needs "
              + LEAST_JAVA);
    }
  }

  private void hadoop() {
    if (setting("tony.client.classpath").isPresent()) {
      return; // it says where Hadoop's jars are instead
    }
    path("hadoop.home", "HADOOP_HOME of Azkaban's environment")
        .map(home -> home.resolve("share/hadoop/common"))
        .filter(common -> !Files.isDirectory(common))
        .ifPresent(common -> problems.add("hadoop.home is wrong: there is no " + common));
  }

  private void configuration(Configuration conf) {
    Optional<Path> named = path("hadoop.conf.dir", "HADOOP_CONF_DIR of Azkaban's environment");
    if (named.isEmpty()) {
      return;
    }
    for (String file : List.of("core-site.xml", "yarn-site.xml")) {
      if (!Files.isReadable(named.get().resolve(file))) {
        problems.add("hadoop.conf.dir is wrong: there is no " + named.get().resolve(file));
      }
    }
    String mine = HadoopCheck.folder(conf);
    if (!named.get().toString().equals(mine)) {
      doubts.add(
          "hadoop.conf.dir is " + named.get() + ", and the other checks were made with " + mine);
    }
  }

  /** Azkaban checks whom a job may name where it is told to, and by default it is not. */
  private void users() throws IOException {
    Properties own = read(folder.resolve(PRIVATE));
    if (!Boolean.parseBoolean(own.getProperty("azkaban.should.proxy.user", "").strip())) {
      return;
    }
    Path azkaban = folder.resolve("../../../conf/azkaban.properties").normalize();
    if (!Boolean.parseBoolean(read(azkaban).getProperty("proxy.user.lock.down", "").strip())) {
      doubts.add(
          "jobs run as user.to.proxy, and "
              + azkaban
              + " has no proxy.user.lock.down=true, without which every project may name every"
              + " user");
    }
  }

  private void allowed() {
    list(PATHS)
        .filter(folder -> !Path.of(folder).isAbsolute() || !Files.isDirectory(Path.of(folder)))
        .forEach(
            folder ->
                problems.add(
                    PATHS + " names " + folder + ", which is not the absolute path of a folder"));
    list(FILE_SYSTEMS)
        .filter(fileSystem -> !Site.isFileSystem(fileSystem))
        .forEach(
            fileSystem ->
                problems.add(
                    FILE_SYSTEMS
                        + " names "
                        + fileSystem
                        + ", which is not SCHEME://HOST:PORT, SCHEME://NAME or SCHEME://* of"
                        + " another machine"));
  }

  /** A setting that names a place; without it, what counts instead is a doubt. */
  private Optional<Path> path(String key, String otherwise) {
    Optional<String> value = setting(key);
    if (value.isEmpty()) {
      doubts.add(key + " is not set, so that " + otherwise + " counts");
    }
    return value.map(text -> Path.of(text).normalize());
  }

  /** A value that refers to other properties is left out: only Azkaban knows those. */
  private Optional<String> setting(String key) {
    return Optional.ofNullable(settings.getProperty(key))
        .map(String::strip)
        .filter(value -> !value.isEmpty() && !value.contains("${"));
  }

  private static Properties read(Path file) throws IOException {
    Properties properties = new Properties();
    if (Files.isRegularFile(file)) {
      try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
        properties.load(reader);
      }
    }
    return properties;
  }
}
