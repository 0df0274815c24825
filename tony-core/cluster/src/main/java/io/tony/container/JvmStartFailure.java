package io.tony.container;

import io.tony.config.TonyConfig;
import io.tony.config.declared.TaskOptions;
import io.tony.config.option.ConfigOption;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reason why a container's JVM did not start, found in the last lines of the JVM's stderr. YARN's
 * diagnostics of the container include these lines.
 *
 * @param sentence sentence for the user: the JVM's message, the responsible option of the job, and
 *     the remedy
 * @param causedByOptions whether the job's JVM options are the cause: every further start would
 *     fail, too
 */
public record JvmStartFailure(String sentence, boolean causedByOptions) {
  /** What to do on a cluster whose nodes have no Java 17 where TonY looks for it. */
  public static final String NO_JAVA_REMEDY =
      "set tony.java.archive to an archive of Java 17 on the cluster's file system, tony.java.home"
          + " to a Java 17 on the nodes, or JAVA_HOME in their yarn-env.sh";

  private static final int MAX_TAIL_BYTES = 4096;

  private static final Pattern OPTION =
      Pattern.compile(
          "(Unrecognized VM option '(?:[+-])?([^'=]+)[^']*'"
              + "|Unrecognized option: (\\S+)"
              + "|(?:Invalid|Improperly specified|Missing)[^\\n]*"
              + "|(-\\S+) is (?:not supported|no longer a supported option)[^\\n]*"
              + "|Error opening zip file or JAR manifest missing : (\\S+)"
              + "|Could not find agent library (\\S+)[^\\n]*)"
              + "[\\s\\S]*(?:Could not create the Java Virtual Machine|agent library failed)");

  private static final Pattern INITIALIZATION =
      Pattern.compile("Error occurred during initialization of VM\\s+([^\\n]+)");

  private static final Pattern OLD_JAVA =
      Pattern.compile("UnsupportedClassVersionError[\\s\\S]*class file versions up to (\\d+)");

  private static final Pattern NO_JAVA =
      Pattern.compile(
          "(\\S*/bin/java): (?:cannot execute: )?(?:No such file|Permission denied"
              + "|cannot execute binary file|required file not found)");

  /**
   * Offset between Java's version and the version of its class files: Java {@code n} writes class
   * file version {@code 44 + n}.
   */
  private static final int FIRST_CLASS_VERSION = 44;

  /**
   * Returns the reason why a TonY executor did not start; empty if the text contains no known
   * reason.
   *
   * @param text last lines of the executor's stderr, or YARN's diagnostics
   */
  public static Optional<JvmStartFailure> ofExecutor(TonyConfig config, String text) {
    return of("the TonY executor", config, TaskOptions.EXECUTOR_JVM_OPTS, text);
  }

  /**
   * Returns the reason why an ApplicationMaster did not start; empty if the text contains no known
   * reason.
   *
   * @param text last lines of the ApplicationMaster's stderr, or YARN's diagnostics
   */
  public static Optional<JvmStartFailure> ofMaster(TonyConfig config, String text) {
    return of("the ApplicationMaster", config, TaskOptions.AM_JVM_OPTS, text);
  }

  private static Optional<JvmStartFailure> of(
      String who, TonyConfig config, ConfigOption<String> jvmOpts, String text) {
    Matcher noJava = NO_JAVA.matcher(text);
    if (noJava.find()) {
      return Optional.of(
          new JvmStartFailure(
              "the node has no Java for "
                  + who
                  + " ("
                  + noJava.group()
                  + "): "
                  + javaRemedy(config),
              false));
    }
    Matcher old = OLD_JAVA.matcher(text);
    if (old.find()) {
      int version = Integer.parseInt(old.group(1)) - FIRST_CLASS_VERSION;
      return Optional.of(
          new JvmStartFailure(
              "the node's Java is " + version + ", and " + who + " needs 17: " + javaRemedy(config),
              false));
    }
    Matcher option = OPTION.matcher(text);
    Matcher initialization = INITIALIZATION.matcher(text);
    if (option.find()) {
      String jvmMessage = option.group(1).strip();
      String name = name(option);
      Optional<String> key = key(config, jvmOpts, name.isEmpty() ? jvmMessage : name);
      boolean ownOption = key.isEmpty() && jvmMessage.startsWith("Unrecognized");
      return Optional.of(
          ownOption
              ? new JvmStartFailure(
                  "the node's Java, which is older than 17, does not start "
                      + who
                      + " ("
                      + jvmMessage
                      + "): "
                      + javaRemedy(config),
                  false)
              : new JvmStartFailure(refusalMessage(who, jvmMessage, key, jvmOpts), true));
    }
    return initialization.find()
        ? Optional.of(
            new JvmStartFailure(
                refusalMessage(who, initialization.group(1).strip(), Optional.empty(), jvmOpts),
                true))
        : Optional.empty();
  }

  private static String name(Matcher option) {
    for (int group = 2; group <= option.groupCount(); group++) {
      if (option.group(group) != null) {
        return option.group(group);
      }
    }
    return "";
  }

  private static String refusalMessage(
      String who, String jvmMessage, Optional<String> key, ConfigOption<String> jvmOpts) {
    return "Java does not start "
        + who
        + " with the JVM options of "
        + key.orElse(jvmOpts.key() + " and " + TaskOptions.DEFAULT_JVM_OPTS.key())
        + ": "
        + jvmMessage
        + ". Another start would end the same way: change the options";
  }

  /**
   * Returns the key of the option that sets the JVM option {@code name}: a blank-separated part of
   * its value contains {@code name} or is contained in it. Empty if no option does.
   */
  private static Optional<String> key(
      TonyConfig config, ConfigOption<String> jvmOpts, String name) {
    for (ConfigOption<String> option : List.of(jvmOpts, TaskOptions.DEFAULT_JVM_OPTS)) {
      String options = config.find(option).orElse("");
      boolean holds =
          JvmCommand.split(options).stream()
              .anyMatch(
                  argument ->
                      argument.contains(name)
                          || (argument.length() > 4 && name.contains(argument)));
      if (holds) {
        return Optional.of(option.key());
      }
    }
    return Optional.empty();
  }

  private static String javaRemedy(TonyConfig config) {
    return config
        .find(TaskOptions.JAVA_ARCHIVE)
        .map(
            archive ->
                TaskOptions.JAVA_ARCHIVE.key()
                    + " is "
                    + archive
                    + ", which must hold a Java 17 for the nodes: bin/java, or one folder with"
                    + " bin/java in it")
        .or(
            () ->
                config
                    .find(TaskOptions.JAVA_HOME)
                    .map(
                        home ->
                            TaskOptions.JAVA_HOME.key()
                                + " is "
                                + home
                                + ", which must be a Java 17 on every node"))
        .orElse(NO_JAVA_REMEDY);
  }

  /** Returns the last 4096 bytes of a local file as text; empty if the file cannot be read. */
  public static String tail(Path file) {
    try (RandomAccessFile content = new RandomAccessFile(file.toFile(), "r")) {
      long from = Math.max(0, content.length() - MAX_TAIL_BYTES);
      byte[] bytes = new byte[(int) (content.length() - from)];
      content.seek(from);
      content.readFully(bytes);
      return new String(bytes, StandardCharsets.UTF_8);
    } catch (IOException e) {
      return "";
    }
  }
}
