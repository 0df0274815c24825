package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.model.JobEvent;
import io.tony.testing.TonyCommand;
import java.io.IOException;
import java.net.BindException;
import java.net.ServerSocket;
import java.net.URI;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.FinalApplicationStatus;
import org.junit.Test;

/** Which ports the ApplicationMaster listens at, and what becomes of a job that gets none. */
public class MasterPortsIT extends ClusterTest {

  @Test
  public void shouldListenInTheRangeOnly() throws Exception {
    int first = 21_000; // below those that the kernel gives away
    int last = 21_100;
    try (TonyCommand tony =
        submit(
            "-executes", "echo $TONY_STORE_URL",
            "-conf", "tony.application.framework=generic",
            "-conf", "tony.worker.instances=1",
            "-conf", "tony.am.port-range=" + first + "-" + last)) {
      tony.assertExit(0);

      int rpc = report(tony.application()).getRpcPort();
      assertTrue("RPC at " + rpc, first <= rpc && rpc <= last);
      int store = URI.create(log(tony.application(), "worker:0", "stdout").strip()).getPort();
      assertTrue("store at " + store, first <= store && store <= last && store != rpc);
    }
  }

  @Test
  public void shouldSayThatNoPortIsFree() throws Exception {
    try (ServerSocket held = heldPort(30_100)) {
      String range = held.getLocalPort() + "-" + held.getLocalPort();
      try (TonyCommand tony =
          submit(
              "-executes", "true",
              "-conf", "tony.worker.instances=1",
              "-conf", "tony.am.port-range=" + range)) {
        tony.assertExit(3);

        assertToldLast(tony, range, "for the ApplicationMaster's RPC server");
        ApplicationReport report = report(tony.application());
        assertEquals("another was tried", 2, attempts(report));
        assertEquals(FinalApplicationStatus.FAILED, report.getFinalApplicationStatus());
        assertTrue(
            report.getDiagnostics(),
            report.getDiagnostics().contains("no port of tony.am.port-range=" + range));
        assertEquals(1, events(tony.application(), JobEvent.Type.JOB_FINISHED).size());
      }
    }
  }

  @Test
  public void shouldSayThatNoPortIsLeftForTheStore() throws Exception {
    try (ServerSocket held = heldPort(30_200)) {
      String range = besideOneThatIsFree(held.getLocalPort());
      try (TonyCommand tony = submitWithOnePort(range, "tony.application.framework=generic")) {
        tony.assertExit(3);

        assertToldLast(tony, range, "for the store at which its tasks meet");
      }
    }
  }

  @Test
  public void shouldTrainWithoutThePageThatLeadsToTensorBoard() throws Exception {
    try (ServerSocket held = heldPort(30_300)) {
      String range = besideOneThatIsFree(held.getLocalPort());
      try (TonyCommand tony =
          submitWithOnePort(range, "tony.application.tracking-url=tensorboard")) {
        tony.assertExit(0);
      }
    }
  }

  /** The one port that is left is for what the job needs. */
  @Test
  public void shouldHaveNoPageWhereThereIsARangeAndNoneForIt() throws Exception {
    try (ServerSocket held = heldPort(30_400)) {
      String range = besideOneThatIsFree(held.getLocalPort());
      try (TonyCommand tony = submitWithOnePort(range, "tony.application.tracking-url=dashboard")) {
        tony.assertExit(0);
        assertEquals("N/A", report(tony.application()).getOriginalTrackingUrl());
      }
    }
  }

  /** Of two ports in the range, another process has one. */
  private TonyCommand submitWithOnePort(String range, String option) throws Exception {
    return submit(
        "-executes", "true",
        "-conf", option,
        "-conf", "tony.am.max-attempts=1",
        "-conf", "tony.worker.instances=1",
        "-conf", "tony.am.port-range=" + range);
  }

  private static void assertToldLast(TonyCommand tony, String range, String what) {
    String last = tony.lines().get(tony.lines().size() - 1);
    assertTrue(tony.text(), last.startsWith("FAILED") && last.contains("(AM_LOST): no port of"));
    assertTrue(tony.text(), last.contains("tony.am.port-range=" + range + " is free on"));
    assertTrue(tony.text(), last.contains(what + ": widen the range"));
  }

  private static int attempts(ApplicationReport report) {
    return report.getCurrentApplicationAttemptId().getAttemptId();
  }

  private static String besideOneThatIsFree(int held) throws IOException {
    try (ServerSocket above = new ServerSocket(held + 1)) {
      return held + "-" + above.getLocalPort();
    } catch (BindException e) {
      return held - 1 + "-" + held;
    }
  }
}
