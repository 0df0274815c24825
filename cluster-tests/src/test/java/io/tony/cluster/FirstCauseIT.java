package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.event.RootCause;
import io.tony.model.JobEvent;
import io.tony.testing.TonyCommand;
import java.nio.file.Path;
import java.util.List;
import org.junit.Test;

/**
 * Two workers talk over a socket. Number 0 is ended by a signal, on a node that is so busy that its
 * executor tells it late; number 1 sees its connection reset, and is the first to be heard of.
 */
public class FirstCauseIT extends ClusterTest {
  private static final String RUNNING = "2/2 tasks running";

  /**
   * A process of its own, that no executor ends, stops the executor until worker 1 has failed and
   * the gang was acted upon: then the command to stop waits for it as the end of its program does.
   */
  private static final String PROGRAM =
      """
      import faulthandler, os, signal, socket, struct, subprocess, sys, time

      here, attempt, index = sys.argv[1], os.environ["TONY_ATTEMPT"], os.environ["TASK_INDEX"]


      def await_file(name):
          while not os.path.exists(os.path.join(here, name)):
              time.sleep(0.02)


      if attempt != "0":
          await_file("go")
          sys.exit(0)
      path = os.path.join(here, "port")
      if index == "0":
          listener = socket.create_server(("127.0.0.1", 0))
          with open(path + ".part", "w") as file:
              file.write(str(listener.getsockname()[1]))
          os.rename(path + ".part", path)
          peer, _ = listener.accept()
          await_file("fail")
          executor = os.getppid()
          while "java" not in os.readlink(f"/proc/{executor}/exe"):
              with open(f"/proc/{executor}/stat") as stat:
                  executor = int(stat.read().rsplit(")", 1)[1].split()[1])
          without = {name: value for name, value in os.environ.items() if name != "TONY_PROGRAM_ID"}
          wait = f"while [ ! -e {here}/tell ]; do sleep 0.05; done; kill -CONT {executor}"
          subprocess.Popen(["setsid", "bash", "-c", wait], env=without, close_fds=True)
          os.kill(executor, signal.SIGSTOP)
          print("step 7: the loss is nan", file=sys.stderr, flush=True)
          peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
          peer.close()
          faulthandler.disable()  # its last words are its own
          os.abort()
      await_file("port")
      with open(path) as file:
          peer = socket.create_connection(("127.0.0.1", int(file.read())))
      peer.recv(1)
      """;

  private TonyCommand fails(String retries) throws Exception {
    Path here = folder.getRoot().toPath();
    write("program.py", PROGRAM);
    return submit(
        "-executes",
        "exec python3 " + here.resolve("program.py") + " " + here,
        "-conf",
        "tony.worker.instances=2",
        "-conf",
        "tony.gang.max-restarts=" + retries,
        "-conf",
        "tony.task.stop-grace-ms=20000");
  }

  private static RootCause cause(String application) throws Exception {
    List<JobEvent> causes = events(application, JobEvent.Type.FIRST_CAUSE);
    assertEquals(causes.toString(), 1, causes.size());
    RootCause cause = RootCause.of(causes.get(0));
    assertEquals("worker:0", cause.task().toString());
    assertEquals(Integer.valueOf(134), cause.failure().exitCode());
    assertEquals("step 7: the loss is nan", cause.failure().stderr().strip());
    assertEquals("worker:1", cause.secondaryFailures().task().toString());
    assertEquals("connection reset by peer", cause.secondaryFailures().evidence());
    return cause;
  }

  @Test
  public void shouldNameTheFirstCauseAfterTheGangWasStartedAgain() throws Exception {
    try (TonyCommand tony = fails("1")) {
      tony.await(RUNNING);
      write("fail", "");
      tony.await("the gang is started again (PROGRAM, 0 more after this");
      write("tell", "");
      tony.await(RUNNING, 2);
      write("go", "");
      tony.assertExit(0);

      String application = tony.application();
      assertEquals(
          "worker:1", events(application, JobEvent.Type.GANG_RESTARTED).get(0).task().toString());
      assertEquals(0, cause(application).session());
      assertTrue(
          tony.text(),
          tony.text()
              .contains(
                  "the first cause: worker:0 was ended by signal 6 (exit code 134); worker:1 failed"
                      + " because of it (connection reset by peer), log http://"));
      assertTrue(
          tony.text(),
          tony.lines()
              .contains("  the last line of the stderr of worker:0: step 7: the loss is nan"));
      nothingIsLeft();
    }
  }

  @Test
  public void shouldEndWithTheFirstCause() throws Exception {
    try (TonyCommand tony = fails("0")) {
      tony.await(RUNNING);
      write("fail", "");
      tony.await("worker:1 exited with code 1");
      write("tell", "");
      tony.assertExit(1);

      String application = tony.application();
      cause(application);
      JobEvent stopping = events(application, JobEvent.Type.JOB_STOPPING).get(0);
      JobEvent finished = events(application, JobEvent.Type.JOB_FINISHED).get(0);
      assertEquals("it was told within the wait", "worker:0", stopping.detail("task"));
      assertEquals("worker:0", finished.detail("task"));
      assertEquals("134", finished.detail("exitCode"));
      List<String> lines = tony.lines();
      assertEquals("The last lines of the stderr of worker:0:", lines.get(lines.size() - 3));
      assertEquals("    step 7: the loss is nan", lines.get(lines.size() - 2));
      String last = lines.get(lines.size() - 1);
      assertTrue(last, last.contains("(PROGRAM): worker:0 was ended by signal 6 (exit code 134)"));
      nothingIsLeft();
    }
  }
}
