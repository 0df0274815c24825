package io.tony.azkaban;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Checks the administrator's settings for the client's JVM, reports all their problems together,
 * and creates a {@link ClientSetup} from them.
 */
final class SetupCheck {

  /**
   * Default JVM options of the client, for little memory and a quick start, because the Azkaban
   * executor's machine runs one client for each running job. The young generation is small, so that
   * it is collected often and short-lived objects take little memory.
   */
  private static final String DEFAULT_JVM_ARGS =
      "-Xmx96m -Xmn6m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xshare:auto -XX:-UsePerfData";

  /**
   * JVM options that the administrator cannot remove. Hadoop reflects upon the package java.lang;
   * the client's output must be UTF-8, independently of the executor's locale.
   */
  private static final List<String> FIXED_JVM_ARGS =
      Collections.unmodifiableList(
          Arrays.asList(
              "--add-opens=java.base/java.lang=ALL-UNNAMED",
              "-Dfile.encoding=UTF-8",
              "-Dstdout.encoding=UTF-8",
              "-Dstderr.encoding=UTF-8"));

  private static final String NO_CACHE = "none";

  private static final List<String> HADOOP_PARTS =
      Collections.unmodifiableList(
          Arrays.asList(
              "common",
              "common/lib",
              "hdfs",
              "hdfs/lib",
              "yarn",
              "yarn/lib",
              "mapreduce",
              "mapreduce/lib"));

  private final File pluginFolder;
  private final SiteProperties site;
  private final Map<String, String> environment;
  private final List<String> problems = new ArrayList<>();

  private SetupCheck(File pluginFolder, SiteProperties site, Map<String, String> environment) {
    this.pluginFolder = pluginFolder;
    this.site = site;
    this.environment = environment;
  }

  /**
   * Checks the settings and creates the client's setup.
   *
   * @param environment the environment of Azkaban's executor; used for settings that are missing
   * @throws JobFailedException with all problems, each with its remedy
   */
  static ClientSetup check(File pluginFolder, SiteProperties site, Map<String, String> environment)
      throws JobFailedException {
    return new SetupCheck(pluginFolder, site, environment).check();
  }

  private ClientSetup check() throws JobFailedException {
    File java = java();
    Optional<String> hadoopHome =
        settingOrVariable(SiteProperties.HADOOP_HOME).map(home -> new File(home).getAbsolutePath());
    String confDir = confDir(hadoopHome);
    List<String> classpath = new ArrayList<>();
    classpath.add(confDir);
    addLibJars(classpath);
    addHadoopJars(hadoopHome, classpath);
    // Folders come last, because the JVM does not use archived classes of jars that follow a folder
    // on the class path. The order has no other effect on the client.
    classpath.sort(Comparator.comparing(entry -> new File(entry).isDirectory()));
    if (!problems.isEmpty()) {
      throw new JobFailedException(
          "TonY's job type is not set up on this Azkaban executor:\n  - "
              + String.join("\n  - ", problems));
    }
    Map<String, String> childEnvironment = new LinkedHashMap<>();
    childEnvironment.put("CLASSPATH", String.join(File.pathSeparator, classpath));
    childEnvironment.put("HADOOP_CONF_DIR", confDir);
    hadoopHome.ifPresent(home -> childEnvironment.put("HADOOP_HOME", home));
    List<String> jvmArgs = new ArrayList<>(FIXED_JVM_ARGS);
    String args = site.setting(SiteProperties.JVM_ARGS).orElse(DEFAULT_JVM_ARGS);
    jvmArgs.addAll(Arrays.asList(args.split("\\s+")));
    jvmArgs.addAll(0, archive(java, jvmArgs, classpath));
    return new ClientSetup(java, jvmArgs, childEnvironment);
  }

  private List<String> archive(File java, List<String> jvmArgs, List<String> classpath) {
    Optional<String> named = site.setting(SiteProperties.CACHE);
    boolean inPod = Pod.isPod(environment);
    // A pod's home folder is new and is deleted with the pod, so an archive there would not be used
    // again.
    Optional<String> home = Optional.ofNullable(environment.get("HOME")).filter(own -> !inPod);
    Optional<String> folder =
        named.isPresent()
            ? named.filter(name -> !name.equals(NO_CACHE))
            : home.map(own -> own + "/.cache/tony");
    List<String> startedWith = new ArrayList<>();
    // If several machines share a home folder, their jars may have different modification times,
    // and an archive fits only one machine. Pods have identical jars from one image.
    startedWith.add(inPod ? "" : hostName());
    startedWith.addAll(jvmArgs);
    startedWith.add(java.getPath());
    startedWith.addAll(classpath);
    return folder
        .map(name -> ClientArchive.options(name, startedWith))
        .orElse(Collections.emptyList());
  }

  private static String hostName() {
    try {
      byte[] name = Files.readAllBytes(Paths.get("/proc/sys/kernel/hostname"));
      return new String(name, StandardCharsets.UTF_8);
    } catch (IOException e) {
      return "";
    }
  }

  private File java() {
    Optional<String> setting = site.setting(SiteProperties.JAVA_HOME);
    JavaHome home =
        setting.isPresent()
            ? JavaHome.at(new File(setting.get()).getAbsoluteFile())
            : JavaHome.ofThisJvm();
    String origin = setting.isPresent() ? " is " : " is not set, and Azkaban runs on ";
    home.problem()
        .ifPresent(
            problem ->
                addProblem(
                    SiteProperties.JAVA_HOME + origin + problem,
                    SiteProperties.JAVA_HOME,
                    "the home of a JDK 17 or newer"));
    return home.java();
  }

  private String confDir(Optional<String> hadoopHome) {
    Optional<String> named = settingOrVariable(SiteProperties.HADOOP_CONF_DIR);
    if (!named.isPresent()) {
      named = hadoopHome.map(home -> new File(home, "etc/hadoop").getPath());
    }
    String remedy = "the folder of the cluster's core-site.xml and yarn-site.xml";
    if (!named.isPresent()) {
      addProblem(
          "Neither hadoop.conf.dir nor HADOOP_CONF_DIR is set.",
          SiteProperties.HADOOP_CONF_DIR,
          remedy);
    } else if (!new File(named.get()).isDirectory()) {
      addProblem(
          "Hadoop's configuration " + named.get() + " is not a folder.",
          SiteProperties.HADOOP_CONF_DIR,
          remedy);
    }
    return named.map(folder -> new File(folder).getAbsolutePath()).orElse("");
  }

  private void addLibJars(List<String> classpath) {
    File lib = new File(pluginFolder, "lib");
    String[] jars = lib.list((folder, name) -> name.endsWith(".jar"));
    List<String> names = jars == null ? new ArrayList<>() : Arrays.asList(jars);
    Collections.sort(names);
    names.forEach(name -> classpath.add(new File(lib, name).getPath()));
    if (names.stream().noneMatch(name -> name.startsWith("tony-core"))) {
      problems.add(
          lib
              + " holds no tony-core-<version>.jar. Copy the whole plugin folder, with lib/, from"
              + " TonY's distribution.");
    }
  }

  private void addHadoopJars(Optional<String> hadoopHome, List<String> classpath) {
    Optional<String> explicit = site.setting(SiteProperties.CLASSPATH);
    if (explicit.isPresent()) {
      // Empty entries are dropped and relative ones made absolute, because they would refer to the
      // working folder, and the client runs in another one than this JVM.
      List<String> entries =
          Arrays.stream(explicit.get().split(File.pathSeparator))
              .filter(entry -> !entry.trim().isEmpty())
              .map(entry -> new File(entry).getAbsolutePath())
              .collect(Collectors.toList());
      if (entries.stream().noneMatch(SetupCheck::exists)) {
        addProblem(
            "No entry of " + SiteProperties.CLASSPATH + " exists: " + explicit.get(),
            SiteProperties.CLASSPATH,
            "the output of `hadoop classpath`");
      }
      classpath.addAll(entries);
      return;
    }
    String remedy =
        "Hadoop's folder, the one with share/hadoop; where its jars lie elsewhere, set "
            + SiteProperties.CLASSPATH
            + " to the output of `hadoop classpath`";
    if (!hadoopHome.isPresent()) {
      addProblem("Neither hadoop.home nor HADOOP_HOME is set.", SiteProperties.HADOOP_HOME, remedy);
      return;
    }
    File share = new File(hadoopHome.get(), "share/hadoop");
    if (!new File(share, "common").isDirectory()) {
      addProblem(
          "Hadoop's home " + hadoopHome.get() + " has no share/hadoop/common.",
          SiteProperties.HADOOP_HOME,
          remedy);
    }
    HADOOP_PARTS.forEach(part -> classpath.add(new File(share, part) + File.separator + "*"));
  }

  private static boolean exists(String entry) {
    String path = entry.endsWith("*") ? entry.substring(0, entry.length() - 1) : entry;
    return !path.isEmpty() && new File(path).exists();
  }

  /**
   * Returns a setting or, if it is missing, the environment variable with its name in Hadoop's
   * notation, such as HADOOP_HOME for hadoop.home.
   */
  private Optional<String> settingOrVariable(String key) {
    Optional<String> setting = site.setting(key);
    String variable = key.toUpperCase(Locale.ROOT).replace('.', '_');
    return setting.isPresent() ? setting : Optional.ofNullable(environment.get(variable));
  }

  private void addProblem(String problem, String key, String remedy) {
    File settings = new File(pluginFolder, SiteProperties.FILE);
    problems.add(problem + " Set " + key + " in " + settings + " to " + remedy + ".");
  }
}
