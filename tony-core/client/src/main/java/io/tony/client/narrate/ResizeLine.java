package io.tony.client.narrate;

import io.tony.event.ResizeFact;

/** Formats a change of the number of a role's tasks as a line for users. */
final class ResizeLine {
  private ResizeLine() {}

  /**
   * Returns the line about a planned increase of the number of tasks.
   *
   * @param runningCount number of running tasks of the role; 0 if unknown
   */
  static String of(ResizeFact.ScaleUpPlanned fact, long runningCount) {
    return "the queue has room for more: "
        + fact.instances()
        + " "
        + fact.role()
        + (runningCount == 0 ? "" : " instead of " + runningCount)
        + ", once a checkpoint is kept";
  }

  static String of(ResizeFact.Resized fact) {
    String sizes =
        fact.shrinks()
            ? "the gang goes on with " + fact.instances() + " of " + fact.previousInstances()
            : "the gang grows from " + fact.previousInstances() + " to " + fact.instances();
    return sizes + " " + fact.role() + ": " + fact.message();
  }
}
