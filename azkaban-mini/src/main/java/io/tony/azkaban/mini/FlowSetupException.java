package io.tony.azkaban.mini;

import java.util.List;

/** Thrown if a flow cannot be started, with all problems. No job has run. */
public final class FlowSetupException extends Exception {

  private final List<String> problems;

  FlowSetupException(List<String> problems) {
    super(String.join("\n", problems));
    this.problems = List.copyOf(problems);
  }

  FlowSetupException(String problem, Throwable cause) {
    super(problem, cause);
    this.problems = List.of(problem);
  }

  /** Returns the problems, at least one, each with its remedy. */
  public List<String> problems() {
    return problems;
  }
}
