package io.tony.client.input;

import java.util.List;

/**
 * Thrown if a job or a command is not valid as the user wrote it. The message contains all
 * problems, each with its remedy.
 */
public final class InvalidJobException extends Exception {
  private static final long serialVersionUID = 1;

  private final transient List<String> problems;

  public InvalidJobException(List<String> problems) {
    super(String.join("; ", problems));
    this.problems = List.copyOf(problems);
  }

  public List<String> problems() {
    return problems;
  }
}
