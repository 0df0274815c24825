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
 * A test rule that fails a test if the cluster is not idle before or after it, or if the test
 * exceeds its time limit. After a failure, everything that remains on the cluster is killed, so
 * that it does not fail the next test, too.
 */
public final class LeavesNothing implements TestRule {
  /** The cluster on which the tests run. */
  public interface Cluster {
    /**
     * Waits until jobs have left nothing behind or the limit has passed; returns what is still
     * left.
     */
    List<String> awaitIdle(Duration limit) throws IOException, InterruptedException;

    /** Requests that YARN kill all applications, and deletes their staging folders. */
    void killAll() throws IOException, InterruptedException;
  }

  /** Supplies the cluster on which the tests run; may start a shared cluster on its first use. */
  @FunctionalInterface
  public interface ClusterSupplier {
    /** Returns the running cluster; starts it if it does not run yet. */
    MiniClusterProcess cluster() throws IOException, InterruptedException;
  }

  /**
   * Maximum time until the cluster is idle after a test. YARN ends an application's processes some
   * time after the application's end.
   */
  public static final Duration IDLE_TIMEOUT = Duration.ofMinutes(1);

  /**
   * Maximum time until the cluster is idle before a test, and after its applications have been
   * killed.
   */
  private static final Duration KILL_TIMEOUT = Duration.ofSeconds(20);

  /** Default time limit of a test, which is much longer than one or a few jobs usually take. */
  private static final Duration TEST_LIMIT = Duration.ofMinutes(5);

  private static final Pattern MASTER_SCRIPT =
      Pattern.compile("process \\d+ of container_\\S+_000001: (bash|/bin/mv) ");

  private final Cluster cluster;
  private final Duration testLimit;

  private LeavesNothing(Cluster cluster, Duration testLimit) {
    this.cluster = cluster;
    this.testLimit = testLimit;
  }

  /** Creates the rule for any kind of cluster. */
  public LeavesNothing(Cluster cluster) {
    this(cluster, TEST_LIMIT);
  }

  /** Creates the rule for a cluster that runs as a separate process. */
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
   * Returns one line for each application, process and staging folder that remains now. Omits the
   * script with which a NodeManager runs an ApplicationMaster, and the script's last command (mv):
   * they end some milliseconds after the ApplicationMaster, and only the NodeManager knows when.
   */
  public static List<String> leftovers(MiniClusterProcess cluster)
      throws IOException, InterruptedException {
    return cluster.leftovers().stream()
        .filter(line -> !MASTER_SCRIPT.matcher(line).lookingAt())
        .toList();
  }

  /** Returns a copy with this time limit for each test. */
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
