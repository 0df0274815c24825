package io.tony.client.follow;

import io.tony.fact.SizeFact;

/** What becomes of the number of a role's tasks, in a line. */
final class SizeLine {
  private SizeLine() {}

  /**
   * @param now how many of its tasks run; 0 where that is not known
   */
  static String of(SizeFact.Grows fact, long now) {
    return "the queue has room for more: "
        + fact.instances()
        + " "
        + fact.role()
        + (now == 0 ? "" : " instead of " + now)
        + ", once a checkpoint is kept";
  }

  static String of(SizeFact.Resized fact) {
    String sizes =
        fact.shrinks()
            ? "the gang goes on with " + fact.instances() + " of " + fact.from()
            : "the gang grows from " + fact.from() + " to " + fact.instances();
    return sizes + " " + fact.role() + ": " + fact.message();
  }
}
