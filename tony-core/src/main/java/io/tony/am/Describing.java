package io.tony.am;

import io.tony.config.Secrets;
import io.tony.config.TonyConfig;
import io.tony.config.declared.AzkabanOptions;
import io.tony.config.option.ConfigOption;
import io.tony.fact.JobDescription;
import io.tony.model.Beginning;
import io.tony.model.JobSpec;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.hadoop.security.UserGroupInformation;

/** What the event log says of a job once: whose it is, and what it was asked to do. */
final class Describing {
  /** Characters of all options, names and values. */
  static final int MOST_OPTIONS = 65_536;

  /** Characters of a name that people gave something, and of the list of what is left out. */
  private static final int MOST_NAME = 1_000;

  /** Of the options that are left out, so many are named. */
  private static final int MOST_NAMED = 20;

  private Describing() {}

  /** {@code user} is who submitted it, {@code queue} where YARN has put it. */
  static JobDescription of(
      TonyConfig config, JobSpec job, UserGroupInformation user, String queue) {
    return of(config, job, user.getShortUserName(), queue == null ? "" : queue);
  }

  static JobDescription of(TonyConfig config, JobSpec job, String user, String queue) {
    SortedMap<String, String> options = new TreeMap<>(config.masked());
    options.replaceAll((key, value) -> Secrets.maskKept(value));
    List<String> leftOut = leaveOut(options);
    return new JobDescription(
        user, queue, shown(job.name()), job.framework(), step(config), options, words(leftOut));
  }

  private static JobDescription.Step step(TonyConfig config) {
    boolean azkabans = AzkabanOptions.identity().stream().anyMatch(config::isSet);
    return !azkabans
        ? JobDescription.Step.NONE
        : new JobDescription.Step(
            text(config, AzkabanOptions.PROJECT),
            text(config, AzkabanOptions.FLOW),
            text(config, AzkabanOptions.JOB),
            text(config, AzkabanOptions.EXECUTION),
            config.get(AzkabanOptions.ATTEMPT));
  }

  private static String text(TonyConfig config, ConfigOption<String> option) {
    return shown(config.find(option).orElse(""));
  }

  private static String shown(String name) {
    return Beginning.of(Secrets.maskText(name), MOST_NAME);
  }

  /** Removes the longest until there is room for all; returns their names. */
  private static List<String> leaveOut(SortedMap<String, String> options) {
    int characters = options.entrySet().stream().mapToInt(Describing::characters).sum();
    List<Map.Entry<String, String>> longest = new ArrayList<>(Map.copyOf(options).entrySet());
    longest.sort(
        Comparator.comparingInt(Describing::characters)
            .reversed()
            .thenComparing(Map.Entry::getKey));
    List<String> leftOut = new ArrayList<>();
    for (Map.Entry<String, String> option : longest) {
      if (characters <= MOST_OPTIONS) {
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

  private static String words(List<String> leftOut) {
    if (leftOut.isEmpty()) {
      return "";
    }
    String names = leftOut.stream().limit(MOST_NAMED).collect(Collectors.joining(", "));
    String more = leftOut.size() <= MOST_NAMED ? "" : " and more";
    return Beginning.of(leftOut.size() + " for which there is no room: " + names + more, MOST_NAME);
  }
}
