package io.tony.cluster;

import static org.junit.Assume.assumeTrue;

/** Tests that this machine cannot run; of those of a class rule, the build does not say why. */
final class NotRun {
  private NotRun() {}

  static void unless(boolean possible, String reason) {
    if (!possible) {
      System.err.println("not run: " + reason);
    }
    assumeTrue("not run: " + reason, possible);
  }
}
