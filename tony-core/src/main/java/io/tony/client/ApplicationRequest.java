package io.tony.client;

import io.tony.am.AmMain;
import io.tony.config.AmOptions;
import io.tony.config.AzkabanOptions;
import io.tony.config.ConfigOption;
import io.tony.config.JobOptions;
import io.tony.config.ProgramOptions;
import io.tony.config.TaskOptions;
import io.tony.config.TonyConfig;
import io.tony.container.ContainerFiles;
import io.tony.container.JvmCommand;
import io.tony.container.Staging;
import io.tony.container.YarnResources;
import io.tony.model.JobSpec;
import io.tony.model.ResourceSpec;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.yarn.api.ApplicationConstants.Environment;
import org.apache.hadoop.yarn.api.records.ApplicationSubmissionContext;
import org.apache.hadoop.yarn.api.records.ContainerLaunchContext;

/** Fills in YARN's form for one application: who, where, how much, and how its AM is started. */
final class ApplicationRequest {
  /** What a JVM needs beside its heap. */
  private static final double HEAP_SHARE = 0.75;

  /** YARN's own limit of a tag. */
  private static final int MAX_TAG_CHARACTERS = 100;

  private ApplicationRequest() {}

  static ResourceSpec masterResource(TonyConfig config) {
    return new ResourceSpec(config.get(AmOptions.MEMORY), config.get(AmOptions.VCORES));
  }

  static void fill(
      ApplicationSubmissionContext request,
      Configuration conf,
      TonyConfig config,
      JobSpec job,
      Staging staging,
      Credentials credentials)
      throws IOException {
    request.setApplicationName(job.name());
    request.setApplicationType(config.get(JobOptions.TYPE));
    request.setQueue(config.get(JobOptions.QUEUE));
    request.setResource(YarnResources.of(masterResource(config)));
    request.setMaxAppAttempts(config.get(AmOptions.MAX_ATTEMPTS));
    request.setApplicationTags(tags(config));
    request.setAMContainerSpec(master(conf, config, staging, credentials));
  }

  private static ContainerLaunchContext master(
      Configuration conf, TonyConfig config, Staging staging, Credentials credentials)
      throws IOException {
    ContainerFiles files =
        new ContainerFiles(conf)
            .jar(staging.jar(), staging.jar().getName())
            .jarsOf(config.find(ProgramOptions.HDFS_CLASSPATH).orElse(""))
            .file(staging.config(), Staging.CONFIG_FILE);
    String command =
        JvmCommand.of(
            config.find(TaskOptions.JAVA_HOME).orElse(""),
            (long) (config.get(AmOptions.MEMORY) * HEAP_SHARE),
            config.get(TaskOptions.DEFAULT_JVM_OPTS) + " " + config.get(TaskOptions.AM_JVM_OPTS),
            AmMain.class,
            "am.log");
    return ContainerLaunchContext.newInstance(
        files.asMap(),
        Map.of(Environment.CLASSPATH.name(), files.classPath()),
        List.of(command),
        null,
        Staging.forContainer(credentials),
        null);
  }

  /** The user's own tags, and where in Azkaban the application comes from. */
  static Set<String> tags(TonyConfig config) {
    Set<String> tags = originTags(config);
    identityTag(config).ifPresent(tags::add);
    for (String tag : config.get(JobOptions.TAGS)) {
      tags.add(tag(tag));
    }
    config
        .find(AzkabanOptions.ATTEMPT)
        .ifPresent(attempt -> tags.add("azkaban.attempt:" + attempt));
    return tags;
  }

  /** For people: where in Azkaban the application comes from. */
  private static Set<String> originTags(TonyConfig config) {
    Set<String> tags = new TreeSet<>();
    for (ConfigOption<String> option : AzkabanOptions.identity()) {
      config
          .find(option)
          .filter(value -> !value.isBlank())
          .ifPresent(value -> tags.add(tag(option.key().replace("tony.", "") + ":" + value)));
    }
    return tags;
  }

  /** What two different jobs never have in common, however much their readable tags look alike. */
  static Optional<String> identityTag(TonyConfig config) {
    return JobIdentity.of(config).map(identity -> "azkaban.identity:" + identity.hash());
  }

  /** YARN takes lower-case ASCII of a limited length. */
  private static String tag(String text) {
    String plain = text.strip().toLowerCase(Locale.ROOT).replaceAll("[^\\x20-\\x7e]|,", "_");
    return plain.substring(0, Math.min(plain.length(), MAX_TAG_CHARACTERS));
  }
}
