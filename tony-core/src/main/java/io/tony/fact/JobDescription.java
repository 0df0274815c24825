package io.tony.fact;

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
 * @param optionsLeftOut which options there was no room for, in words; empty when there was
 */
public record JobDescription(
    String user,
    String queue,
    String name,
    String framework,
    Step step,
    Map<String, String> options,
    String optionsLeftOut) {

  /** Before the name of an option in the event's details. */
  public static final String OPTION = "option.";

  /** One of which nothing is known. */
  public static final JobDescription NONE =
      new JobDescription("", "", "", "", Step.NONE, Map.of(), "");

  /**
   * The step of an Azkaban flow; texts are empty where a job is none.
   *
   * @param attempt of the Azkaban job, from 0; null where a job is none
   */
  public record Step(String project, String flow, String job, String execution, Integer attempt) {
    public static final Step NONE = new Step("", "", "", "", null);
  }

  public JobDescription {
    options = Collections.unmodifiableMap(new LinkedHashMap<>(options));
  }

  Details details() {
    return Details.none()
        .with("user", user)
        .with("queue", queue)
        .with("name", name)
        .with("framework", framework)
        .withAny("project", step.project())
        .withAny("flow", step.flow())
        .withAny("job", step.job())
        .withAny("execution", step.execution())
        .withAny("azkabanAttempt", step.attempt())
        .withAny("optionsLeftOut", optionsLeftOut)
        .withEach(OPTION, options);
  }

  static JobDescription of(Details of) {
    return new JobDescription(
        of.text("user"),
        of.text("queue"),
        of.text("name"),
        of.text("framework"),
        new Step(
            of.any("project"),
            of.any("flow"),
            of.any("job"),
            of.any("execution"),
            of.anyNumber("azkabanAttempt")),
        of.each(OPTION),
        of.any("optionsLeftOut"));
  }
}
