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
 * A rule that checks that the cluster is idle before and after each test, and that the test ends in
 * time. After a failed test, everything that remains is killed immediately, so that it causes
 * neither a second failure nor the failure of the next test.
 */
public final class LeavesNothing implements TestRule {
  /** The cluster that the tests use. */
  public interface Cluster {
    /** Waits until nothing of any job remains, and returns the remains if the limit has passed. */
    List<String> awaitIdle(Duration limit) throws IOException, InterruptedException;

    /** Makes YARN kill all applications, and deletes their staging folders. */
    void killAll() throws IOException, InterruptedException;
  }

  /** Supplies the cluster of the tests; the first test that needs a shared cluster starts it. */
  @FunctionalInterface
  public interface ClusterSupplier {
    /** Returns the running cluster. */
    MiniClusterProcess cluster() throws IOException, InterruptedException;
  }

  /**
   * Maximum time until the cluster is idle after a test: YARN cleans up an application's processes
   * asynchronously.
   */
  public static final Duration IDLE_TIMEOUT = Duration.ofMinutes(1);

  /** Maximum time until the cluster is idle after its applications were killed. */
  private static final Duration KILL_TIMEOUT = Duration.ofSeconds(20);

  /** Default time limit of a test: many times the usual duration of one or a few jobs. */
  private static final Duration TEST_LIMIT = Duration.ofMinutes(5);

  private static final Pattern MASTER_SCRIPT =
      Pattern.compile("process \\d+ of container_\\S+_000001: (bash|/bin/mv) ");

  private final Cluster cluster;
  private final Duration testLimit;

  private LeavesNothing(Cluster cluster, Duration testLimit) {
    this.cluster = cluster;
    this.testLimit = testLimit;
  }

  /** Creates the rule for a cluster that is not a process. */
  public LeavesNothing(Cluster cluster) {
    this(cluster, TEST_LIMIT);
  }

  /** Creates the rule for a cluster that is a process. */
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
   * Returns the applications, programs and files that remain now. Does not count the script with
   * which a NodeManager runs an ApplicationMaster, nor the script's last command (mv): they end
   * some milliseconds after the ApplicationMaster, and only the NodeManager knows when.
   */
  public static List<String> leftovers(MiniClusterProcess cluster)
      throws IOException, InterruptedException {
    return cluster.leftovers().stream()
        .filter(line -> !MASTER_SCRIPT.matcher(line).lookingAt())
        .toList();
  }

  /** Returns a copy with another time limit for each test. */
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
