package io.tony.event;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Whose job it is, and what it was asked to do.
 *
 * @param user who submitted it
 * @param name of the YARN application
 * @param framework as the job names it
 * @param step where in Azkaban it comes from
 * @param options that were set, without secrets
 * @param omittedOptions which options there was no room for, in words; empty when there was
 */
public record JobDescription(
    String user,
    String queue,
    String name,
    String framework,
    AzkabanStep step,
    Map<String, String> options,
    String omittedOptions) {

  /** Before the name of an option in the event's details. */
  public static final String OPTION_PREFIX = "option.";

  /** One of which nothing is known. */
  public static final JobDescription NONE =
      new JobDescription("", "", "", "", AzkabanStep.NONE, Map.of(), "");

  /**
   * The step of an Azkaban flow; texts are empty where a job is none.
   *
   * @param attempt of the Azkaban job, from 0; null where a job is none
   */
  public record AzkabanStep(
      String project, String flow, String job, String execution, Integer attempt) {
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
