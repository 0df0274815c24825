package io.tony.cluster;

import io.tony.testing.TonyCommand;
import java.io.IOException;

/** Waits for what only files tell, for as long as the job runs that writes them. */
final class Looks {
  private static final long PAUSE_MS = 50;

  /** At a file. */
  interface Look {
    boolean finds() throws IOException;
  }

  private Looks() {}

  /** Looks until it is found; fails where the job has ended and a last look does not find it. */
  static void await(TonyCommand tony, String what, Look look)
      throws IOException, InterruptedException {
    while (true) {
      boolean ended = tony.hasEnded();
      if (look.finds()) {
        return;
      }
      if (ended) {
        throw new AssertionError("the job has ended without " + what + ":\n" + tony.text());
      }
      Thread.sleep(PAUSE_MS); // within the test's limit: a file tells nobody
    }
  }
}
