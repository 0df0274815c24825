package io.tony.client.check.project;

import java.util.List;

/**
 * Thrown if Azkaban would refuse a project, or if a project cannot be read. The message is for the
 * author.
 */
public final class ProjectException extends Exception {
  private static final long serialVersionUID = 1;

  private final transient List<String> problems;

  ProjectException(List<String> problems) {
    super(String.join("; ", problems));
    this.problems = List.copyOf(problems);
  }

  ProjectException(String problem) {
    this(List.of(problem));
  }

  public List<String> problems() {
    return problems;
  }
}
