package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.model.JobEvent;
import io.tony.testing.TonyCommand;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.Test;

/** {@code tony shell}: somebody looks into the container of a task, which goes on. */
public class ShellIT extends ClusterTest {
  private static final Duration GONE_WITHIN = Duration.ofSeconds(20);

  private TonyCommand waiting(String... more) throws Exception {
    List<String> arguments = new ArrayList<>();
    arguments.add("-executes");
    arguments.add("until [ -e '" + folder.getRoot() + "/go' ]; do sleep 0.1; done");
    arguments.addAll(List.of("-conf", "tony.worker.instances=2"));
    arguments.addAll(List.of(more));
    return submit(arguments.toArray(String[]::new));
  }

  private TonyCommand shell(String... arguments) throws Exception {
    return tony(Stream.concat(Stream.of("shell"), Stream.of(arguments)).toArray(String[]::new));
  }

  private TonyCommand shellAtTerminal(String meanwhile, String... arguments) throws Exception {
    return TonyCommand.startAtTerminal(
        cluster().confDir().toString(),
        cluster().hadoopClasspath(),
        folder.getRoot().toPath(),
        meanwhile,
        Stream.concat(Stream.of("shell"), Stream.of(arguments)).toList());
  }

  private void finish(TonyCommand tony) throws Exception {
    write("go", "");
    tony.assertExit(0);
  }

  private static void awaitNone(String command) throws InterruptedException {
    long end = System.nanoTime() + GONE_WITHIN.toNanos();
    while (!processes(command).isEmpty()) {
      assertTrue("left: " + processes(command), System.nanoTime() < end);
      Thread.sleep(20);
    }
  }

  private static List<String> shells(String application) throws Exception {
    return events(application, JobEvent.Type.SHELL).stream()
        .map(event -> event.task() + " " + event.detail("who") + " left=" + event.detail("left"))
        .toList();
  }

  @Test
  public void shouldRunACommandInTheContainerOfATask() throws Exception {
    try (TonyCommand tony = waiting("-shell_env", "GREETING=hello")) {
      tony.await("2/2 tasks running");
      String application = tony.application();

      String command = "echo \"$GREETING $TASK_INDEX ${PWD##*/}\"; cat; exit 7";
      try (TonyCommand shell = shell(application, "worker:1", "-command", command)) {
        shell.assertExit(7);
        List<String> said = shell.lines();
        assertEquals(said.toString(), 1, said.size());
        assertTrue(said.get(0), said.get(0).startsWith("hello 1 container_"));
      }
      tony.await(System.getProperty("user.name") + " opens a shell in the container of worker:1");
      tony.await(
          System.getProperty("user.name") + " has left the shell in the container of worker:1");

      finish(tony);
      String who = System.getProperty("user.name");
      assertEquals(
          List.of("worker:1 " + who + " left=false", "worker:1 " + who + " left=true"),
          shells(application));
      assertEquals(List.of(), events(application, JobEvent.Type.TASK_FAILED));
    }
  }

  @Test
  public void shouldGiveATerminal() throws Exception {
    try (TonyCommand tony = waiting()) {
      tony.await("2/2 tasks running");
      String meanwhile =
          "until [ -e '"
              + folder.getRoot()
              + "/resize' ]; do sleep 0.1; done;"
              + " for cols in $(seq 60 99); do stty rows 40 cols $cols </dev/tty; done";

      try (TonyCommand shell = shellAtTerminal(meanwhile, tony.application(), "worker:0")) {
        shell.type("echo $((40 + 2)) in $(stty size)\n");
        shell.await("42 in 33 111");
        shell.type(
            "bash -c 'trap \"exit 5\" INT; echo $((1 + 1)) begins; while :; do sleep 0.1; done'\n");
        shell.await("2 begins");
        shell.type("\u0003");
        write("resize", "");
        shell.type(
            "code=$?; until [ \"$(stty size)\" = '40 99' ]; do sleep 0.1; done; exit $code\n");
        shell.assertExit(5);
      }

      finish(tony);
      assertEquals(2, shells(tony.application()).size());
    }
  }

  @Test
  public void shouldLeaveNothingOfAShellThatIsLeft() throws Exception {
    try (TonyCommand tony = waiting()) {
      tony.await("2/2 tasks running");

      try (TonyCommand shell = shellAtTerminal(":", tony.application(), "worker:0")) {
        shell.type("bash -c 'echo $((1 + 1)) begins; trap \"\" HUP INT TERM; sleep 1234'\n");
        shell.await("2 begins");
        shell.type("\r~.");
        shell.assertExit(255);
      }

      tony.await("has left the shell in the container of worker:0");
      awaitNone("sleep 1234");
      finish(tony);
    }
  }

  /** It ends with the ApplicationMaster that it goes through; the task trains on. */
  @Test
  public void shouldLeaveNothingOfAShellWhenTheMasterIsKilled() throws Exception {
    try (TonyCommand tony = waiting("-conf", "tony.am.max-attempts=2")) {
      tony.await("2/2 tasks running");

      try (TonyCommand shell =
          shell(tony.application(), "worker:0", "-command", "echo begins; sleep 1234")) {
        shell.await("begins");
        killMaster();
        tony.awaitTakeover(2);
        shell.assertExit(255);
      }
      awaitNone("sleep 1234");

      try (TonyCommand shell = shell(tony.application(), "worker:0", "-command", "exit 3")) {
        shell.assertExit(3);
      }
      finish(tony);
    }
  }

  @Test
  public void shouldSayWhyThereIsNoShell() throws Exception {
    try (TonyCommand tony = waiting()) {
      tony.await("2/2 tasks running");
      String application = tony.application();

      refused(
          "the job has several tasks; name one: worker:0, worker:1",
          application,
          "-command",
          "true");
      refused(
          "no task worker:7 is running; these are: worker:0, worker:1",
          application,
          "worker:7",
          "-command",
          "true");
      refused("there is no terminal here to type at", application, "worker:0");

      finish(tony);
      refused(application + " has ended", application, "worker:0", "-command", "true");
      assertEquals(List.of(), shells(application));
    }
  }

  private void refused(String why, String... arguments) throws Exception {
    try (TonyCommand shell = shell(arguments)) {
      shell.assertExit(2);
      assertTrue(shell.text(), shell.text().contains(why));
    }
  }

  @Test
  public void shouldOpenNoneWhereThePlatformAllowsNone() throws Exception {
    try (TonyCommand tony = waiting("-conf", "tony.task.shell.enabled=false")) {
      tony.await("2/2 tasks running");

      refused(
          "this cluster allows no shells in containers (tony.task.shell.enabled)",
          tony.application(),
          "worker:0",
          "-command",
          "true");
      finish(tony);
    }
  }

  private TonyCommand failing(String hold) throws Exception {
    return submit(
        "-executes", "echo 3 > state; echo no such file >&2; exit 9",
        "-conf", "tony.worker.instances=1",
        "-conf", "tony.gang.max-restarts=0",
        "-conf", "tony.task.hold-on-failure=" + hold);
  }

  @Test
  public void shouldCountAFailureWhenTheContainerWasKeptForLongEnough() throws Exception {
    try (TonyCommand tony = failing("3s")) {
      tony.await("its container is kept for 3 s before the failure is reported");

      tony.assertExit(1);

      List<JobEvent> events = events(tony.application());
      List<JobEvent.Type> types = events.stream().map(JobEvent::type).toList();
      assertTrue(
          types.toString(),
          types.indexOf(JobEvent.Type.TASK_HELD) < types.indexOf(JobEvent.Type.TASK_FAILED));
      JobEvent held = events(tony.application(), JobEvent.Type.TASK_HELD).get(0);
      assertEquals("9", held.detail("exitCode"));
      assertEquals("no such file", held.detail("stderr"));
      assertEquals("3000", held.detail("limit"));
      JobEvent failed = events(tony.application(), JobEvent.Type.TASK_FAILED).get(0);
      assertEquals("9", failed.detail("exitCode"));
    }
  }

  @Test
  public void shouldKeepTheContainerOfAFailedTaskUntilTheJobIsKilled() throws Exception {
    try (TonyCommand tony = failing("30m")) {
      tony.await("its container is kept for 30m 0s before the failure is reported");
      String application = tony.application();
      tony.await("tony shell " + application + " worker:0");

      try (TonyCommand shell = shell(application, "-command", "cat state; ls .tony/command.sh")) {
        shell.assertExit(0);
        assertEquals(List.of("3", ".tony/command.sh"), shell.lines());
      }

      try (TonyCommand shell = shell(application, "-command", "echo begins; sleep 1234")) {
        shell.await("begins");
        try (TonyCommand kill = tony("kill", application)) {
          kill.assertExit(0);
        }
        shell.assertExit(255);
      }
      tony.exitCode();
      awaitNone("sleep 1234");
      JobEvent last = events(application, JobEvent.Type.JOB_FINISHED).get(0);
      assertEquals("KILLED", last.detail("status"));
      assertEquals(List.of(), events(application, JobEvent.Type.TASK_FAILED));
    }
  }
}
