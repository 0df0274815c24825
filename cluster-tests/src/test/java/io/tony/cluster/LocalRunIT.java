package io.tony.cluster;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.eventlog.EventLog;
import io.tony.eventlog.WholeLog;
import io.tony.model.JobEvent;
import io.tony.testing.TonyCommand;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/** {@code tony run}: jobs on this machine, where there is no cluster. */
public class LocalRunIT {
  private static final Duration GONE_WITHIN = Duration.ofSeconds(20);
  private static final Pattern PAGE = Pattern.compile("http://localhost:\\d+/[0-9a-f]{32}/");

  @Rule public final Timeout limit = Timeout.seconds(180);
  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  private Path here;
  private Path local;

  @Before
  public void name() {
    here = folder.getRoot().toPath();
    local = here.resolve("local");
  }

  @After
  public void nothingIsLeft() throws Exception {
    awaitNothing();
    for (String place : List.of("work", "staging")) {
      assertEquals(place, List.of(), names(local.resolve(place)));
    }
  }

  private void awaitNothing() throws InterruptedException {
    long end = System.nanoTime() + GONE_WITHIN.toNanos();
    while (!processes().isEmpty()) {
      assertTrue("left: " + processes(), System.nanoTime() < end);
      Thread.sleep(20);
    }
  }

  private static List<String> names(Path folder) throws IOException {
    if (!Files.exists(folder)) {
      return List.of();
    }
    try (Stream<Path> all = Files.list(folder)) {
      return all.map(path -> path.getFileName().toString()).toList();
    }
  }

  /** Of containers: each knows where its logs are. */
  private List<ProcessHandle> processes() {
    return ProcessHandle.allProcesses().filter(one -> isOfJob(one.pid())).toList();
  }

  private boolean isOfJob(long pid) {
    try {
      return Files.readString(Path.of("/proc/" + pid + "/environ"), ISO_8859_1)
          .contains("LOG_DIRS=" + local);
    } catch (IOException e) {
      return false; // another user's, or it has ended
    }
  }

  private TonyCommand tony(String... arguments) throws IOException {
    return tony(Map.of("CUDA_VISIBLE_DEVICES", ""), arguments);
  }

  private TonyCommand tony(Map<String, String> environment, String... arguments)
      throws IOException {
    return TonyCommand.startLocal(local, environment, here, List.of(arguments));
  }

  private void write(String name, String content) throws IOException {
    Path file = here.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, content);
  }

  private List<JobEvent> events(String application) throws IOException {
    return WholeLog.read(
        FileSystem.getLocal(new Configuration()).getRaw(),
        EventLog.folder(
            new org.apache.hadoop.fs.Path(local.resolve("history").toUri()), application));
  }

  private List<JobEvent> events(String application, JobEvent.Type type) throws IOException {
    return events(application).stream().filter(event -> event.type() == type).toList();
  }

  /** What all tasks have written, line by line. */
  private Set<String> stdout(String application) throws IOException {
    Set<String> lines = new TreeSet<>();
    Path logs = local.resolve("logs").resolve(application);
    for (String container : names(logs)) {
      Path stdout = logs.resolve(container).resolve("stdout");
      if (Files.exists(stdout)) {
        lines.addAll(Files.readAllLines(stdout));
      }
    }
    return lines;
  }

  @Test
  public void shouldRunTheJobOfAnAzkabanFlow() throws Exception {
    write(
        "project/train.job",
        """
        type=tony
        tony.yarn.queue=ml
        tony.chief.instances=1
        tony.chief.memory=64m
        tony.chief.node-label=gpu
        tony.worker.instances=2
        tony.worker.memory=64m
        src_dir=src
        executes=bash tell.sh
        task_env.GREETING=good morning
        tony.containers.resources=data.txt::numbers,words::list#archive
        """);
    write(
        "project/src/tell.sh",
        "echo \"$JOB_NAME:$TASK_INDEX $GREETING $(cat numbers list/first)\"\n");
    write("project/data.txt", "1 2 3 ");
    write("project/words/first", "one");
    try (TonyCommand tony = tony("run", "project/train.job")) {
      tony.assertExit(0);
      String text = tony.text();
      assertTrue(
          text,
          text.contains(
              "this machine is no cluster, and passes over tony.chief.node-label,"
                  + " tony.yarn.queue"));
      assertTrue(text, text.contains("SUCCEEDED"));

      String application = tony.application();
      assertEquals(
          new TreeSet<>(
              List.of(
                  "chief:0 good morning 1 2 3 one",
                  "worker:0 good morning 1 2 3 one",
                  "worker:1 good morning 1 2 3 one")),
          stdout(application));
      assertEquals(3, events(application, JobEvent.Type.TASK_STARTED).size());
      assertEquals("SUCCEEDED", last(application).detail("status"));
    }
  }

  private JobEvent last(String application) throws IOException {
    List<JobEvent> all = events(application, JobEvent.Type.JOB_FINISHED);
    assertEquals(all.toString(), 1, all.size());
    return all.get(0);
  }

  @Test
  public void shouldSayWhichOptionAJvmRefuses() throws Exception {
    for (String key : List.of("tony.task.executor.jvm.opts", "tony.task.am.jvm.opts")) {
      try (TonyCommand tony =
          tony(
              "run",
              "-executes",
              "true",
              "-conf",
              "tony.worker.instances=1",
              "-conf",
              key + "=-XX:+NoSuchThing")) {
        tony.assertRefusesJvmOption(key);
      }
    }
  }

  @Test
  public void shouldStartTheGangAgainAfterAFailure() throws Exception {
    try (TonyCommand tony =
        tony(
            "run",
            "-executes",
            "if [ $TONY_ATTEMPT$TASK_INDEX = 01 ]; then exit 7; fi; sleep 0.5",
            "-conf",
            "tony.worker.instances=2",
            "-conf",
            "tony.worker.memory=64m",
            "-conf",
            "tony.gang.max-restarts=1")) {
      tony.assertExit(0);
      assertEquals(1, events(tony.application(), JobEvent.Type.GANG_RESTARTED).size());
    }
  }

  @Test
  public void shouldFailWithTheProgramAndSayWhereItsLogIs() throws Exception {
    try (TonyCommand tony =
        tony("run", "-executes", "echo broken >&2; exit 7", "-conf", "tony.worker.instances=1")) {
      tony.assertExit(1);
      String text = tony.text();
      assertTrue(text, text.contains("    broken"));
      Matcher log = Pattern.compile("log file://(\\S+)$").matcher(text);
      assertTrue(text, log.find());
      assertEquals("broken\n", Files.readString(Path.of(log.group(1), "stderr")));
    }
  }

  private TonyCommand two(String command) throws IOException {
    return tony(
        "run",
        "-executes",
        command,
        "-conf",
        "tony.worker.instances=2",
        "-conf",
        "tony.worker.memory=64m");
  }

  @Test
  public void shouldEndTheJobWithASignalToItsClient() throws Exception {
    try (TonyCommand tony = two("sleep 600")) {
      tony.await("2/2 tasks running");
      tony.terminate();
      tony.assertExit(143);
      assertEquals("no process outlives the command", List.of(), processes());
      assertTrue(tony.text(), tony.text().contains("KILLED"));
      assertEquals("KILLED", last(tony.application()).detail("status"));
    }
  }

  @Test
  public void shouldOpenAShellInTheContainerOfATask() throws Exception {
    try (TonyCommand tony = two("until [ -e " + here + "/go ]; do sleep 0.1; done")) {
      tony.await("2/2 tasks running");
      String application = tony.application();

      String[] shell = {"shell", application, "worker:1", "-command", "echo task $TASK_INDEX"};
      try (TonyCommand command = tony(shell)) {
        command.assertExit(0);
        assertEquals(List.of("task 1"), command.lines());
      }

      write("go", "");
      tony.assertExit(0);
      assertEquals(2, events(application, JobEvent.Type.SHELL).size());
    }
  }

  /** Nobody is there any more who could see it. What it leaves, the next one sweeps. */
  @Test
  public void shouldEndTheJobOfAClientThatIsKilled() throws Exception {
    try (TonyCommand tony = two("sleep 600")) {
      tony.await("2/2 tasks running");
      tony.kill();
      awaitNothing();
      assertEquals("KILLED", last(tony.application()).detail("status"));
    }
    try (TonyCommand next = two("true")) {
      next.assertExit(0);
    }
  }

  @Test
  public void shouldEndTheTasksOfAnApplicationMasterThatIsKilled() throws Exception {
    try (TonyCommand tony = two("sleep 600")) {
      tony.await("2/2 tasks running");
      ProcessHandle master =
          processes().stream()
              .filter(one -> one.info().commandLine().orElse("").contains("AmMain"))
              .findFirst()
              .orElseThrow();
      master.destroyForcibly();
      tony.assertExit(3);
      assertEquals("no process outlives the command", List.of(), processes());
      assertTrue(tony.text(), tony.text().contains("the ApplicationMaster ended with status 137"));
    }
  }

  @Test
  public void shouldGiveEachTaskItsOwnGpus() throws Exception {
    String job = "echo gpus=$CUDA_VISIBLE_DEVICES; sleep 0.2";
    Map<String, String> machine = Map.of("CUDA_VISIBLE_DEVICES", "3,5,7");
    try (TonyCommand tony =
        tony(
            machine,
            "run",
            "-executes",
            job,
            "-conf",
            "tony.worker.instances=3",
            "-conf",
            "tony.worker.memory=64m",
            "-conf",
            "tony.worker.gpus=1")) {
      tony.assertExit(0);
      assertEquals(
          new TreeSet<>(List.of("gpus=3", "gpus=5", "gpus=7")), stdout(tony.application()));
    }
    try (TonyCommand tony =
        tony(
            machine,
            "run",
            "-executes",
            job,
            "-conf",
            "tony.worker.instances=2",
            "-conf",
            "tony.worker.memory=100000g",
            "-conf",
            "tony.worker.gpus=2")) {
      tony.assertExit(2);
      assertTrue(
          tony.text(),
          tony.text().contains("the job asks for 4 GPUs at a time, and this machine has 3"));
      assertTrue(tony.text(), tony.text().contains("the job asks for 204800512 MiB at a time"));
    }
  }

  @Test
  public void shouldShowTheJobToWhoHasItsLink() throws Exception {
    try (TonyCommand tony = two("echo hello; until [ -e " + here + "/go ]; do sleep 0.1; done")) {
      tony.await("2/2 tasks running");
      Matcher link = PAGE.matcher(tony.text());
      assertTrue(tony.text(), link.find());
      URI page = URI.create(link.group());
      for (String path : List.of("/", "/job", "/events?from=0", "/metrics", "/0123/job", "/..")) {
        assertEquals(path, 403, status(page.resolve(path)));
      }
      assertEquals(200, status(page));
      assertTrue(text(page.resolve("events?from=0")).contains("GANG_RUNNING"));

      JobEvent allocated = events(tony.application(), JobEvent.Type.TASK_ALLOCATED).get(0);
      int number = events(tony.application()).indexOf(allocated);
      URI log =
          page.resolve(
              "log?container="
                  + allocated.detail("container")
                  + "&event="
                  + number
                  + "&file=stdout&from=-1");
      while (!text(log).contains("\"text\":\"hello\\n\"")) {
        Thread.sleep(20); // the program is still to write it
      }
      write("go", "");
      tony.assertExit(0);
    }
  }

  private static int status(URI uri) throws Exception {
    return get(uri).statusCode();
  }

  private static String text(URI uri) throws Exception {
    return get(uri).body();
  }

  private static HttpResponse<String> get(URI uri) throws Exception {
    return HttpClient.newHttpClient()
        .send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
  }

  @Test
  public void shouldShowItToTheOtherCommandsOfThisUser() throws Exception {
    try (TonyCommand tony = two("echo hello; sleep 600")) {
      tony.await("2/2 tasks running");
      String application = tony.application();
      while (!stdout(application).contains("hello")) {
        Thread.sleep(20); // the program is still to write it
      }
      assertTold("is RUNNING", "status", application);
      assertTold(
          "none of its processes is a Python or a JVM: worker:0, worker:1", "stacks", application);
      assertTold("==> worker:1 stdout <==", "logs", application, "worker:1");
      assertTold("GANG_RUNNING", "events", application);
      assertTold("is KILLED", "kill", application);
      tony.assertExit(4);
      assertTold("is KILLED, final status KILLED: N/A", "status", application);
    }
  }

  /** One submits, and sweeps, while the other trains; what is shipped is for both. */
  @Test
  public void shouldLeaveOtherJobsOfThisMachineAlone() throws Exception {
    write("data.txt", "x".repeat(300_000));
    String[] training = {
      "run",
      "-executes",
      "until [ -e " + here + "/go ]; do sleep 0.1; done; echo more >> data.txt || wc -c < data.txt",
      "-conf",
      "tony.worker.instances=1",
      "-conf",
      "tony.worker.memory=64m",
      "-conf",
      "tony.containers.resources=data.txt"
    };
    try (TonyCommand first = tony(training);
        TonyCommand second = tony(training)) {
      first.await("1/1 tasks running");
      second.await("1/1 tasks running");
      try (TonyCommand third = two("true")) {
        third.assertExit(0);
      }
      write("go", "");
      first.assertExit(0);
      second.assertExit(0);
      // A read-only file of another user than root; root's copy is its job's own.
      boolean root = System.getProperty("user.name").equals("root");
      assertEquals(root ? Set.of() : Set.of("300000"), stdout(second.application()));
    }
    try (TonyCommand later = tony(training)) {
      later.assertExit(0);
      assertEquals(300_000, size("data.txt"));
    }
  }

  /** Of the copy that is kept for later jobs. */
  private long size(String name) throws IOException {
    try (Stream<Path> files = Files.walk(local.resolve("cache"))) {
      return Files.size(files.filter(file -> file.endsWith(name)).findFirst().orElseThrow());
    }
  }

  @Test
  public void shouldKeepItsFoldersFromOthers() throws Exception {
    try (TonyCommand tony = two("true")) {
      tony.assertExit(0);
    }
    assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(local)));
    Files.setPosixFilePermissions(local, PosixFilePermissions.fromString("rwxr-xr-x"));
    try (TonyCommand tony = two("true")) {
      tony.assertExit(2);
      assertTrue(tony.text(), tony.text().contains(local + " is to be this user's alone"));
    }
  }

  private void assertTold(String text, String... command) throws Exception {
    try (TonyCommand told = tony(command)) {
      told.assertExit(0);
      assertTrue(told.text(), told.text().contains(text));
    }
  }

  private TonyCommand notebook(String command) throws IOException {
    return tony(
        Map.of("TONY_SCHEDULER", "local", "CUDA_VISIBLE_DEVICES", ""),
        "notebook",
        "-link_file=link",
        "-memory=128m",
        "-executes",
        "cat notebooks/kept; echo hello > notebooks/kept; " + command);
  }

  @Test
  public void shouldRunANotebookAndBringItsFilesBack() throws Exception {
    try (TonyCommand tony = notebook("exec python3 -m http.server --bind 127.0.0.1 \"$TB_PORT\"")) {
      tony.await("the notebook is up");
      tony.terminate();
      tony.assertExit(143);
      assertEquals(Set.of(), stdout(tony.application()));
    }
    try (TonyCommand tony = notebook("true")) {
      tony.assertExit(0);
      assertEquals(Set.of("hello"), stdout(tony.application()));
    }
  }
}
