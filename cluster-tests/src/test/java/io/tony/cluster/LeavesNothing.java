package io.tony.cluster;

import static org.junit.Assert.assertEquals;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.junit.rules.TestRule;
import org.junit.runner.Description;
import org.junit.runners.model.Statement;

/**
 * Around each test of a cluster: it is idle before, and idle again after. What a test leaves that
 * failed is killed at once and not waited for: it is no second failure of that test, and none of
 * the next one.
 */
final class LeavesNothing implements TestRule {
  /** A cluster as this rule needs it. */
  interface Cluster {
    /** Waits until nothing is left of jobs, and returns what is left nevertheless. */
    List<String> awaitIdle(Duration limit) throws IOException, InterruptedException;

    /** Has YARN kill every application, and deletes what was staged for them. */
    void killAll() throws IOException, InterruptedException, YarnException;
  }

  /** For what a job leaves to YARN: it ends an application's processes in its own time. */
  static final Duration IDLE_WITHIN = Duration.ofMinutes(1);

  /** For YARN to end what it is told to kill. */
  private static final Duration KILLED_WITHIN = Duration.ofSeconds(20);

  private final Cluster cluster;

  LeavesNothing(Cluster cluster) {
    this.cluster = cluster;
  }

  @Override
  public Statement apply(Statement test, Description description) {
    return new Statement() {
      @Override
      public void evaluate() throws Throwable {
        assertEquals(List.of(), cluster.awaitIdle(KILLED_WITHIN));
        try {
          test.evaluate();
          assertEquals(List.of(), cluster.awaitIdle(IDLE_WITHIN));
        } catch (Throwable failure) {
          killAfter(failure);
          throw failure;
        }
      }
    };
  }

  private void killAfter(Throwable failure) {
    try {
      cluster.killAll();
      List<String> left = cluster.awaitIdle(KILLED_WITHIN);
      if (!left.isEmpty()) {
        failure.addSuppressed(new AssertionError("could not be killed: " + left));
      }
    } catch (IOException | YarnException | InterruptedException | RuntimeException e) {
      failure.addSuppressed(e);
    }
  }
}
