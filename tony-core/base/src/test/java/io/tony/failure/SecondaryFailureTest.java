package io.tony.failure;

import static org.junit.Assert.assertEquals;

import io.tony.event.TaskFact;
import io.tony.model.FailureKind;
import io.tony.model.TaskId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.Test;

/** The files hold what programs printed whose neighbour was killed by signal 11, in full or cut. */
public class SecondaryFailureTest {
  private static final Path RECORDED = Path.of("src/test/resources/stderr");

  private static String of(int code, String stderr) {
    TaskFact.Failed failure = failure(FailureKind.PROGRAM, code, stderr);
    String words = SecondaryFailure.of(failure);
    assertEquals(words, SecondaryFailure.of(SecondaryFailure.brief(failure)));
    return words;
  }

  static TaskFact.Failed failure(FailureKind kind, Integer code, String stderr) {
    return new TaskFact.Failed(
        new TaskId("worker", 1), kind, "it", code, stderr, "", "node", "log");
  }

  private static String recorded(int code, String file) throws IOException {
    return of(code, Files.readString(RECORDED.resolve(file)));
  }

  @Test
  public void shouldKnowWhatLibrariesPrintWhenAnotherTaskEnds() throws IOException {
    assertEquals("connection closed by peer", recorded(1, "gloo-closed.txt"));
    assertEquals("connection reset by peer", recorded(1, "gloo-reset.txt"));
    assertEquals("connection closed by peer", recorded(1, "xgboost-closed.txt"));
    assertEquals("the coordination service lost a task", recorded(1, "tensorflow-heartbeats.txt"));
    assertEquals("connection reset by peer", recorded(1, "tensorflow-reset.txt"));
    assertEquals("the coordination service lost a task", recorded(134, "jax-coordination.txt"));
  }

  @Test
  public void shouldKnowThemByTheirWordsAlsoWhereTheyCannotBeRunHere() {
    String nccl =
        "torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:1691, remote"
            + " process exited or there was a network error, NCCL version 2.19.3\n"
            + "ncclRemoteError: A call failed possibly due to a network error";
    assertEquals("NCCL lost another rank", of(1, nccl));
    assertEquals("NCCL lost another rank", of(1, "[rank3]: " + nccl));
    assertEquals(
        "a collective operation timed out",
        of(134, "[Rank 3] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=12)"));
    assertEquals(
        "a barrier timed out",
        of(1, "RuntimeError: [Rank 0]: Rank 1 failed to pass monitoredBarrier in 10000 ms"));
    assertEquals(
        "Horovod was shut down",
        of(1, "horovod.common.exceptions.HorovodInternalError: Horovod has been shut down."));
    assertEquals(
        "MPI lost a process",
        of(139 - 4, "mpirun noticed that process rank 1 with PID 0 exited on signal 11")
            + of(1, "mpirun noticed that process rank 1 with PID 0 exited on signal 11"));
    assertEquals("broken pipe", of(1, "BrokenPipeError: [Errno 32] Broken pipe"));
    assertEquals(
        "another task was unavailable",
        of(1, "tensorflow.python.framework.errors_impl.UnavailableError: no longer there"));
  }

  @Test
  public void shouldNotTakeAFailureOfItsOwnForOne() throws IOException {
    assertEquals("", recorded(1, "value-error.txt"));
    assertEquals("", of(3, ""));
    assertEquals("", of(139, "[W socket.cpp] connection reset by peer"));
    assertEquals("", of(1, "a retry: connection reset by peer\nTraceback\nValueError: nan"));
    String closing =
        "ValueError: nan\nException ignored in: <function Client.__del__>\nBrokenPipeError: [32]";
    assertEquals("", of(1, closing));
    assertEquals(
        "",
        SecondaryFailure.of(failure(FailureKind.MEMORY, null, ""))
            + SecondaryFailure.of(failure(FailureKind.LOST, 1, "connection reset by peer")));
  }

  @Test
  public void shouldBelieveTorchrunWhichOfItsProgramsWasFirst() {
    String trace = "Traceback (most recent call last):\n  File \"run.py\"\n";
    String peer = trace + "RuntimeError: Connection closed by peer\n";
    String own = trace + "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n";
    String root = "Root Cause (first observed failure):\n[0]:\n  rank      : 1 (local_rank: 1)\n";

    assertEquals("", of(1, peer + own + root + "  exitcode  : -11 (pid: 7)\n"));
    assertEquals(
        "connection closed by peer", of(1, peer + own + root + "  exitcode  : 1 (pid: 7)\n"));
    assertEquals("", of(1, trace + "KeyError: 'x'\n" + own + root + "  exitcode  : 1 (pid: 7)\n"));
  }

  @Test
  public void shouldReadHostileTextInTime() {
    String digits = "Root Cause (first observed failure) exitcode : -" + "1".repeat(8_000);
    assertEquals("", of(1, digits));
    assertEquals("", of(1, "Root Cause (first observed failure)".repeat(400)));
    assertEquals("", of(1, "ncclSystemError ".repeat(800)));
    assertEquals("", of(1, "a.".repeat(8_000)));
  }
}
