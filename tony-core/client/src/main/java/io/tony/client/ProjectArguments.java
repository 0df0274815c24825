package io.tony.client;

import io.tony.client.doctor.PluginCheck;
import io.tony.client.input.Arguments;
import io.tony.client.input.InvalidJobException;
import io.tony.client.input.JobSources;
import io.tony.client.input.SiteSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The parsed arguments of {@code tony validate PROJECT}.
 *
 * @param project the project: a zip archive or a folder
 * @param parameters properties with which the project's flows are started
 * @param site the Azkaban administrator's settings for all steps
 * @param type name of the job type's folder in Azkaban; empty if not given
 * @param offline whether the project is checked without the cluster
 */
record ProjectArguments(
    Path project,
    Map<String, String> parameters,
    SiteSettings site,
    Optional<String> type,
    boolean offline) {
  private static final String PROPERTY = "property";
  private static final String PLUGIN = "plugin";
  private static final String OFFLINE = "offline";

  private static final Set<String> NAMES =
      Flags.PROJECT.stream()
          .filter(Flag::takesValue)
          .map(Flag::name)
          .collect(Collectors.toUnmodifiableSet());

  private static final Set<String> FLAGS =
      Flags.PROJECT.stream()
          .filter(flag -> !flag.takesValue())
          .map(Flag::name)
          .collect(Collectors.toUnmodifiableSet());

  static ProjectArguments of(Arguments arguments, Path folder)
      throws InvalidJobException, IOException {
    Set<String> others = new TreeSet<>(arguments.values().keySet());
    others.removeAll(NAMES);
    if (arguments.positionalArgs().size() != 1 || !others.isEmpty()) {
      throw new InvalidJobException(
          List.of(
              "tony validate PROJECT takes one project and no option of a single job"
                  + others
                  + ": its jobs are as their files say; -property KEY=VALUE is what a flow is"
                  + " started with"));
    }
    Optional<PluginCheck> plugin = Optional.empty();
    if (arguments.last(PLUGIN).isPresent()) {
      plugin = Optional.of(PluginCheck.of(folder.resolve(arguments.last(PLUGIN).get())));
    }
    return new ProjectArguments(
        folder.resolve(arguments.positionalArgs().get(0)),
        JobSources.pairs(arguments, PROPERTY),
        plugin.map(PluginCheck::site).orElse(SiteSettings.NONE),
        plugin.map(PluginCheck::type),
        arguments.hasFlag(OFFLINE));
  }

  /**
   * Throws an exception if the command line names no project but has an option that only applies to
   * projects.
   */
  static void rejectWithoutProject(Arguments arguments) throws InvalidJobException {
    boolean given =
        NAMES.stream().anyMatch(name -> arguments.last(name).isPresent())
            || FLAGS.stream().filter(flag -> !flag.equals(OFFLINE)).anyMatch(arguments::hasFlag);
    if (given) {
      throw new InvalidJobException(
          List.of("-property and -plugin are options of tony validate PROJECT: name a project"));
    }
  }
}
