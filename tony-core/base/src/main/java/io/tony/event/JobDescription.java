package io.tony.event;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Who submitted a job, from where, and with which options.
 *
 * @param user name of the user who submitted the job
 * @param queue name of the YARN queue
 * @param name name of the YARN application
 * @param framework name of the machine learning framework, as configured
 * @param step the step of the Azkaban flow that submitted the job; {@link AzkabanStep#NONE} if
 *     there is none
 * @param options values of the options that were set, by option name; without secrets
 * @param omittedOptions text for display about the options that were left out to limit the size of
 *     the event; empty if none were
 */
public record JobDescription(
    String user,
    String queue,
    String name,
    String framework,
    AzkabanStep step,
    Map<String, String> options,
    String omittedOptions) {

  /** Prefix of the names of options in the event's details. */
  public static final String OPTION_PREFIX = "option.";

  /** The description of a job of which nothing is known. */
  public static final JobDescription NONE =
      new JobDescription("", "", "", "", AzkabanStep.NONE, Map.of(), "");

  /**
   * The step of an Azkaban flow that submitted a job. All texts are empty if Azkaban did not submit
   * it.
   *
   * @param execution execution ID of the flow
   * @param attempt number of Azkaban's attempt at the step, from 0; null if Azkaban did not submit
   *     the job
   */
  public record AzkabanStep(
      String project, String flow, String job, String execution, @Nullable Integer attempt) {
    public static final AzkabanStep NONE = new AzkabanStep("", "", "", "", null);
  }

  public JobDescription {
    options = Collections.unmodifiableMap(new LinkedHashMap<>(options));
  }

  Details details() {
    return Details.empty()
        .with("user", user)
        .with("queue", queue)
        .with("name", name)
        .with("framework", framework)
        .withNonEmpty("project", step.project())
        .withNonEmpty("flow", step.flow())
        .withNonEmpty("job", step.job())
        .withNonEmpty("execution", step.execution())
        .withNonEmpty("azkabanAttempt", step.attempt())
        .withNonEmpty("optionsLeftOut", omittedOptions)
        .withPrefixed(OPTION_PREFIX, options);
  }

  static JobDescription of(Details details) {
    return new JobDescription(
        details.text("user"),
        details.text("queue"),
        details.text("name"),
        details.text("framework"),
        new AzkabanStep(
            details.optionalText("project"),
            details.optionalText("flow"),
            details.optionalText("job"),
            details.optionalText("execution"),
            details.optionalNumber("azkabanAttempt")),
        details.prefixed(OPTION_PREFIX),
        details.optionalText("optionsLeftOut"));
  }
}
