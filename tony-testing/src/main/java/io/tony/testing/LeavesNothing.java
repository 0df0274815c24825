package io.tony.testing;

import static org.junit.Assert.assertEquals;

import io.tony.mini.MiniClusterProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.rules.TestRule;
import org.junit.rules.Timeout;
import org.junit.runner.Description;
import org.junit.runners.model.Statement;

/**
 * Around each test of a cluster: it is idle before, and idle again after, and the test ends in
 * time. What a test leaves that failed is killed at once and not waited for: it is no second
 * failure of that test, and none of the next one.
 */
public final class LeavesNothing implements TestRule {
  /** A cluster as this rule needs it. */
  public interface Cluster {
    /** Waits until nothing is left of jobs, and returns what is left nevertheless. */
    List<String> awaitIdle(Duration limit) throws IOException, InterruptedException;

    /** Has YARN kill every application, and deletes what was staged for them. */
    void killAll() throws IOException, InterruptedException;
  }

  /** Where tests share a cluster, the first of them starts it. */
  @FunctionalInterface
  public interface ClusterSupplier {
    /** The running cluster. */
    MiniClusterProcess cluster() throws IOException, InterruptedException;
  }

  /** For what a job leaves to YARN: it ends an application's processes in its own time. */
  public static final Duration IDLE_TIMEOUT = Duration.ofMinutes(1);

  /** For YARN to end what it is told to kill. */
  private static final Duration KILL_TIMEOUT = Duration.ofSeconds(20);

  /** Many times what a test of one or a few jobs takes. */
  private static final Duration TEST_LIMIT = Duration.ofMinutes(5);

  private static final Pattern MASTER_SCRIPT =
      Pattern.compile("process \\d+ of container_\\S+_000001: (bash|/bin/mv) ");

  private final Cluster cluster;
  private final Duration testLimit;

  private LeavesNothing(Cluster cluster, Duration testLimit) {
    this.cluster = cluster;
    this.testLimit = testLimit;
  }

  /** The rule for a cluster that is not a process. */
  public LeavesNothing(Cluster cluster) {
    this(cluster, TEST_LIMIT);
  }

  /** The rule for a cluster that is a process. */
  public static LeavesNothing on(ClusterSupplier clusterSupplier) {
    return new LeavesNothing(
        new Cluster() {
          @Override
          public List<String> awaitIdle(Duration limit) throws IOException, InterruptedException {
            return clusterSupplier.cluster().awaitIdle(limit);
          }

          @Override
          public void killAll() throws IOException, InterruptedException {
            clusterSupplier.cluster().killAll();
          }
        });
  }

  /**
   * What is left at this moment of applications, programs and files. The script with which a
   * NodeManager runs an ApplicationMaster is not counted, nor its last command (mv): it ends some
   * milliseconds after it, and only the NodeManager knows when.
   */
  public static List<String> leftovers(MiniClusterProcess cluster)
      throws IOException, InterruptedException {
    return cluster.leftovers().stream()
        .filter(line -> !MASTER_SCRIPT.matcher(line).lookingAt())
        .toList();
  }

  /** The same rule for tests that may take longer, or shall not. */
  public LeavesNothing within(Duration limit) {
    return new LeavesNothing(cluster, limit);
  }

  @Override
  public Statement apply(Statement test, Description description) {
    Statement limited = Timeout.seconds(testLimit.toSeconds()).apply(test, description);
    return new Statement() {
      @Override
      public void evaluate() throws Throwable {
        try {
          assertEquals("left before the test", List.of(), cluster.awaitIdle(KILL_TIMEOUT));
          limited.evaluate();
          assertEquals(List.of(), cluster.awaitIdle(IDLE_TIMEOUT));
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
      List<String> left = cluster.awaitIdle(KILL_TIMEOUT);
      if (!left.isEmpty()) {
        failure.addSuppressed(new AssertionError("could not be killed: " + left));
      }
    } catch (IOException | InterruptedException | RuntimeException e) {
      failure.addSuppressed(e);
    }
  }
}
