package io.tony.client;

import io.tony.client.doctor.PluginCheck;
import io.tony.client.doctor.TestJob;
import io.tony.client.input.Arguments;
import io.tony.client.input.InvalidJobException;
import io.tony.client.input.JobFolder;
import io.tony.client.input.JobSources;
import io.tony.config.TonyConfig;
import io.tony.config.declared.JobOptions;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;

/**
 * The parsed arguments of {@code tony doctor}.
 *
 * @param conf job options for the test job, each as {@code KEY=VALUE}
 * @param plugin check of the job type's folder in Azkaban; empty if no folder is given
 * @param nodes number of nodes for the test job, or {@link TestJob#ALL_NODES}
 */
record DoctorArguments(List<String> conf, Optional<PluginCheck> plugin, String nodes) {

  static DoctorArguments parse(List<String> args) throws InvalidJobException, IOException {
    Arguments arguments = CliCommand.DOCTOR.parse(args);
    List<String> problems = new ArrayList<>();
    if (!arguments.positionalArgs().isEmpty()) {
      problems.add("these words belong to no option: " + arguments.positionalArgs());
    }
    String nodes = arguments.last("nodes").orElse("1");
    if (!nodes.matches("[1-9][0-9]{0,5}|" + TestJob.ALL_NODES)) {
      problems.add("-nodes is " + nodes + "; it is a number from 1 on, or " + TestJob.ALL_NODES);
    }
    if (!problems.isEmpty()) {
      throw new InvalidJobException(problems);
    }
    List<String> conf = new ArrayList<>(arguments.all("conf"));
    arguments.last("queue").ifPresent(queue -> conf.add(JobOptions.QUEUE.key() + "=" + queue));
    Optional<String> plugin = arguments.last("plugin");
    return new DoctorArguments(
        conf,
        plugin.isPresent() ? Optional.of(PluginCheck.of(Path.of(plugin.get()))) : Optional.empty(),
        nodes);
  }

  /**
   * Returns the configuration of the test job: the options in {@link #conf}, with the defaults of
   * this installation and, if the job type's folder is given, with those of the Azkaban
   * administrator.
   *
   * @param folder an empty folder, into which this method writes a properties file
   */
  TonyConfig config(Map<String, String> environment, Path folder, Configuration hadoop)
      throws InvalidJobException, IOException {
    Map<String, List<String>> values = new LinkedHashMap<>();
    values.put("conf", conf);
    if (plugin.isPresent()) {
      // Pass the administrator's defaults to the client in a file, as the job type does.
      Properties site = new Properties();
      Map<String, String> defaults = plugin.get().site().defaults();
      defaults.forEach((key, value) -> site.setProperty("site." + key, value));
      Path file = folder.resolve("site.properties");
      try (Writer writer = Files.newBufferedWriter(file, StandardCharsets.UTF_8)) {
        site.store(writer, null);
      }
      values.put("job_file", List.of(file.toString()));
    }
    return JobSources.read(
        new Arguments(values, Set.of(), List.of()), environment, JobFolder.of(folder), hadoop);
  }
}
