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
 * What {@code tony doctor} is asked to check.
 *
 * @param conf options for its jobs, as {@code KEY=VALUE}
 * @param plugin the job type's folder in Azkaban
 * @param nodes on how many nodes its job is to run, a number or {@link TestJob#ALL_NODES}
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
   * The options that a job of this installation has when it says nothing itself.
   *
   * @param folder an empty one
   */
  TonyConfig config(Map<String, String> environment, Path folder, Configuration hadoop)
      throws InvalidJobException, IOException {
    Map<String, List<String>> values = new LinkedHashMap<>();
    values.put("conf", conf);
    if (plugin.isPresent()) {
      // In the form in which the job type hands the administrator's defaults to the client.
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
