package io.tony.client.submit;

import io.tony.config.TonyConfig;
import io.tony.config.declared.AzkabanOptions;
import io.tony.config.declared.JobOptions;
import io.tony.config.job.TagRules;
import io.tony.config.option.ConfigOption;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.conf.YarnConfiguration;

/**
 * Builds the tags of a YARN application. YARN limits their number, so the most important come
 * first: the tags by which later clients find the application, then the user's own, then the tags
 * that Azkaban's Hadoop job types also write and by which Azkaban, dashboards and accounting
 * search.
 */
final class ApplicationTags {
  /**
   * Environment variable that is set by TonY's job type if Azkaban runs each execution in a
   * container of its own.
   */
  private static final String POD_VARIABLE = "TONY_AZKABAN_POD";

  /** Maximum number of characters that YARN allows in a tag. */
  private static final int MAX_CHARACTERS = 100;

  private static final String MAX_TAGS_KEY = YarnConfiguration.RM_APPLICATION_MAX_TAGS;

  private ApplicationTags() {}

  static Set<String> of(TonyConfig config, Map<String, String> environment) {
    Set<String> tags = ofTonyAndUser(config);
    ofAzkaban(config, Boolean.parseBoolean(environment.get(POD_VARIABLE))).stream()
        .limit(Math.max(0, TagRules.MAX_TAGS - tags.size()))
        .forEach(tags::add);
    return tags;
  }

  /**
   * A warning that a job has more tags than YARN accepts. The limit that applies is that of the
   * ResourceManager, which may differ from the limit in this client's configuration.
   *
   * @param message how many tags are too many, and what to do
   * @param certain true if this client's configuration sets the limit; false if YARN's default is
   *     assumed
   */
  record Surplus(String message, boolean certain) {
    static Optional<Surplus> of(TonyConfig config, Configuration conf) {
      int limit = conf.getInt(MAX_TAGS_KEY, TagRules.MAX_TAGS);
      int tags = ofTonyAndUser(config).size();
      String message =
          config.describe(JobOptions.TAGS.key())
              + ": with TonY's own the application would have "
              + tags
              + " tags, and YARN takes "
              + limit
              + " ("
              + MAX_TAGS_KEY
              + "): leave out "
              + (tags - limit);
      String[] sources = conf.getPropertySources(MAX_TAGS_KEY);
      boolean certain = sources != null && !List.of(sources).contains("yarn-default.xml");
      return tags <= limit ? Optional.empty() : Optional.of(new Surplus(message, certain));
    }
  }

  private static Set<String> ofTonyAndUser(TonyConfig config) {
    Set<String> tags = new LinkedHashSet<>();
    identity(config).ifPresent(tags::add);
    step(config).ifPresent(tags::add);
    for (String tag : config.get(JobOptions.TAGS)) {
      if (!TagRules.isReserved(tag)) {
        tags.add(sanitize(tag).toLowerCase(Locale.ROOT));
      }
    }
    return tags;
  }

  /**
   * Returns the tag that all attempts of one job in one Azkaban execution have and no other job
   * has, even if the readable tags of two jobs are equal; empty if the job does not run in Azkaban.
   */
  static Optional<String> identity(TonyConfig config) {
    return JobIdentity.of(config).map(identity -> "azkaban.identity:" + identity.hash());
  }

  /**
   * Returns the tag that all executions of one step of a flow have and no other step has; empty if
   * the job does not run in Azkaban.
   */
  static Optional<String> step(TonyConfig config) {
    return JobIdentity.ofStep(config).map(step -> "azkaban.step:" + step.hash());
  }

  private static List<String> ofAzkaban(TonyConfig config, boolean inPod) {
    List<String> tags = new ArrayList<>();
    String project = value(config, AzkabanOptions.PROJECT);
    String flow = value(config, AzkabanOptions.FLOW);
    String path = value(config, AzkabanOptions.JOB);
    // If Azkaban runs executions in containers, its ContainerCleanupManager kills every application
    // that has the tag azkaban.flow.execid of a stopped execution. The execution in this tag may
    // have stopped while a later execution follows the application, and an application's tags
    // cannot be changed. So use a tag that Azkaban does not search for.
    String execution = inPod ? "azkaban.execution" : "azkaban.flow.execid";
    add(tags, execution, value(config, AzkabanOptions.EXECUTION));
    add(tags, "workflowid", project.isEmpty() || flow.isEmpty() ? "" : project + "$" + flow);
    add(tags, "azkaban.flow.projectname", project);
    add(tags, "azkaban.flow.flowid", flow);
    add(tags, "azkaban.job.id", path.substring(path.lastIndexOf(':') + 1));
    if (config.isSet(AzkabanOptions.ATTEMPT)) {
      add(tags, "azkaban.job.attempt", config.get(AzkabanOptions.ATTEMPT).toString());
    }
    add(tags, "azkaban.webserverhost", webServer(value(config, AzkabanOptions.URL)));
    add(tags, "azkaban.flow.nested.path", path.contains(":") ? path : "");
    return tags;
  }

  private static String value(TonyConfig config, ConfigOption<String> option) {
    return config.find(option).orElse("").strip();
  }

  private static void add(List<String> tags, String name, String value) {
    if (!value.isEmpty()) {
      tags.add(sanitize(name + ":" + value));
    }
  }

  /**
   * Returns the host of the web server on which the job's page is; empty if {@code page} is not a
   * URL with a host.
   */
  private static String webServer(String page) {
    try {
      return Optional.ofNullable(URI.create(page).getHost()).orElse("");
    } catch (IllegalArgumentException e) {
      return "";
    }
  }

  /**
   * Makes a text a valid tag: replaces commas, which separate tags in YARN, and characters that are
   * not printable ASCII by {@code _}, and limits the length.
   */
  private static String sanitize(String text) {
    String plain = text.strip().replaceAll("[^\\x20-\\x7e]|,", "_");
    return plain.substring(0, Math.min(plain.length(), MAX_CHARACTERS));
  }
}
