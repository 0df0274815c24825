package io.tony.config.job;

import io.tony.config.TonyConfig;
import io.tony.config.declared.AzkabanOptions;
import io.tony.config.declared.JobOptions;
import io.tony.config.option.ConfigException;
import java.util.List;
import java.util.Locale;

/** Which tags a job may give its application: none by which it would pass for another job. */
public final class TagRules {
  /** YARN's default ({@code yarn.resourcemanager.application.max-tags}). */
  public static final int MAX_TAGS = 10;

  /** Of the job's own: two of TonY's and two of Azkaban's have room beside them. */
  private static final int MAX_OWN_TAGS = MAX_TAGS - 4;

  private static final List<String> RESERVED = List.of("azkaban.", "workflowid:");

  private TagRules() {}

  /** True for a tag that only Azkaban's own properties give. */
  public static boolean isReserved(String tag) {
    String plain = tag.strip().toLowerCase(Locale.ROOT);
    return RESERVED.stream().anyMatch(plain::startsWith);
  }

  /** Warns of tags that are left out. */
  public static void check(TonyConfig config, Problems problems) {
    List<String> tags;
    try {
      tags = config.get(JobOptions.TAGS);
    } catch (ConfigException e) {
      return; // told elsewhere
    }
    List<String> reserved = tags.stream().filter(TagRules::isReserved).toList();
    if (!reserved.isEmpty()) {
      problems.warning(
          JobOptions.TAGS.key()
              + ": "
              + String.join(", ", reserved)
              + (reserved.size() == 1 ? " is left out" : " are left out")
              + ": only Azkaban's own execution has tags that begin with azkaban. or workflowid:;"
              + " choose another beginning");
    }
    int own = tags.size() - reserved.size();
    if (own > MAX_OWN_TAGS && config.isSet(AzkabanOptions.JOB)) {
      problems.warning(
          JobOptions.TAGS.key()
              + " has "
              + own
              + " tags: beside more than "
              + MAX_OWN_TAGS
              + " there is no room for those by which Azkaban finds the application"
              + " (azkaban.flow.execid, workflowid), because YARN takes "
              + MAX_TAGS
              + " of an application. Leave some out");
    }
  }
}
