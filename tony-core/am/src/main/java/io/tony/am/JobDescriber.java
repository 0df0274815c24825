package io.tony.am;

import io.tony.config.Secrets;
import io.tony.config.TonyConfig;
import io.tony.config.declared.AzkabanOptions;
import io.tony.config.option.ConfigOption;
import io.tony.event.JobDescription;
import io.tony.model.JobSpec;
import io.tony.text.Strings;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * Creates the description of the job that the event log contains once: who submitted the job, its
 * name, Azkaban step and options.
 */
final class JobDescriber {
  /**
   * Maximum number of characters of all options in the description: keys and values together.
   * Larger options are omitted.
   */
  static final int MAX_OPTION_CHARS = 65_536;

  /**
   * Maximum number of characters of each name in the description (of the job, of an Azkaban
   * project, flow or step), and of the message that lists the omitted options.
   */
  private static final int MAX_NAME_CHARS = 1_000;

  /** Maximum number of options that the message about omitted options names. */
  private static final int MAX_LISTED_OPTIONS = 20;

  private JobDescriber() {}

  /**
   * Returns the description of the job, with secrets masked.
   *
   * @param user user who submitted the job
   * @param queue YARN queue of the job; empty if there is none
   */
  static JobDescription of(
      TonyConfig config, JobSpec job, UserGroupInformation user, String queue) {
    return of(config, job, user.getShortUserName(), queue);
  }

  static JobDescription of(TonyConfig config, JobSpec job, String user, String queue) {
    SortedMap<String, String> options = new TreeMap<>(config.masked());
    options.replaceAll((key, value) -> Secrets.maskStrictly(value));
    List<String> leftOut = dropLargest(options);
    return new JobDescription(
        user,
        queue,
        maskAndTruncate(job.name()),
        job.framework(),
        step(config),
        options,
        leftOutMessage(leftOut));
  }

  private static JobDescription.AzkabanStep step(TonyConfig config) {
    boolean fromAzkaban = AzkabanOptions.identity().stream().anyMatch(config::isSet);
    return !fromAzkaban
        ? JobDescription.AzkabanStep.NONE
        : new JobDescription.AzkabanStep(
            text(config, AzkabanOptions.PROJECT),
            text(config, AzkabanOptions.FLOW),
            text(config, AzkabanOptions.JOB),
            text(config, AzkabanOptions.EXECUTION),
            config.get(AzkabanOptions.ATTEMPT));
  }

  private static String text(TonyConfig config, ConfigOption<String> option) {
    return maskAndTruncate(config.find(option).orElse(""));
  }

  private static String maskAndTruncate(String name) {
    return Strings.truncate(Secrets.maskText(name), MAX_NAME_CHARS);
  }

  /**
   * Removes the largest options until the remaining ones have at most {@link #MAX_OPTION_CHARS}
   * characters together. Returns the keys of the removed options, largest first.
   */
  private static List<String> dropLargest(SortedMap<String, String> options) {
    int characters = options.entrySet().stream().mapToInt(JobDescriber::characters).sum();
    List<Map.Entry<String, String>> largest = new ArrayList<>(Map.copyOf(options).entrySet());
    largest.sort(
        Comparator.comparingInt(JobDescriber::characters)
            .reversed()
            .thenComparing(Map.Entry::getKey));
    List<String> leftOut = new ArrayList<>();
    for (Map.Entry<String, String> option : largest) {
      if (characters <= MAX_OPTION_CHARS) {
        break;
      }
      characters -= characters(option);
      options.remove(option.getKey());
      leftOut.add(option.getKey());
    }
    return leftOut;
  }

  private static int characters(Map.Entry<String, String> option) {
    return option.getKey().length() + option.getValue().length();
  }

  private static String leftOutMessage(List<String> leftOut) {
    if (leftOut.isEmpty()) {
      return "";
    }
    String names = leftOut.stream().limit(MAX_LISTED_OPTIONS).collect(Collectors.joining(", "));
    String more = leftOut.size() <= MAX_LISTED_OPTIONS ? "" : " and more";
    return Strings.truncate(
        leftOut.size() + " for which there is no room: " + names + more, MAX_NAME_CHARS);
  }
}
