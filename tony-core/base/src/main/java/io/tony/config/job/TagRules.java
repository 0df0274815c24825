package io.tony.config.job;

import io.tony.config.TonyConfig;
import io.tony.config.declared.AzkabanOptions;
import io.tony.config.declared.JobOptions;
import io.tony.config.option.ConfigException;
import java.util.List;
import java.util.Locale;

/**
 * Checks the YARN tags that a job sets. A tag with which the job could be taken for another job
 * does not become a tag of the application.
 */
public final class TagRules {
  /**
   * Maximum number of tags of an application, by YARN's default ({@code
   * yarn.resourcemanager.application.max-tags}).
   */
  public static final int MAX_TAGS = 10;

  /** Maximum number of tags that a job may set itself. TonY adds two, and Azkaban adds two. */
  private static final int MAX_OWN_TAGS = MAX_TAGS - 4;

  private static final List<String> RESERVED = List.of("azkaban.", "workflowid:");

  private TagRules() {}

  /**
   * Returns true for a tag that begins like one of Azkaban's own tags; a job must not set such a
   * tag.
   */
  public static boolean isReserved(String tag) {
    String plain = tag.strip().toLowerCase(Locale.ROOT);
    return RESERVED.stream().anyMatch(plain::startsWith);
  }

  /** Warns of those tags of the job that the application will not get. */
  public static void check(TonyConfig config, Problems problems) {
    List<String> tags;
    try {
      tags = config.get(JobOptions.TAGS);
    } catch (ConfigException e) {
      return; // CheckedValues has already reported the malformed value.
    }
    List<String> reserved = tags.stream().filter(TagRules::isReserved).toList();
    if (!reserved.isEmpty()) {
      problems.addWarning(
          JobOptions.TAGS.key()
              + ": "
              + String.join(", ", reserved)
              + (reserved.size() == 1 ? " is left out" : " are left out")
              + ": only Azkaban's own execution has tags that begin with azkaban. or workflowid:;"
              + " choose another beginning");
    }
    int own = tags.size() - reserved.size();
    if (own > MAX_OWN_TAGS && config.isSet(AzkabanOptions.JOB)) {
      problems.addWarning(
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
