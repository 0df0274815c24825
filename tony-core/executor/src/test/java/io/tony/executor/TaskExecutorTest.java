package io.tony.executor;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;
import static org.junit.Assume.assumeTrue;

import io.tony.checkpoint.CheckpointName;
import io.tony.config.TonyConfig;
import io.tony.container.JvmCommand;
import io.tony.container.LocalStaging;
import io.tony.container.Staging;
import io.tony.executor.hadoop.AddressReader;
import io.tony.executor.program.ProcessStat;
import io.tony.executor.settings.ExecutorSettings;
import io.tony.model.TaskId;
import io.tony.model.TaskKey;
import io.tony.process.Spawner;
import io.tony.protocol.DelegatedTokens;
import io.tony.protocol.JobKey;
import io.tony.protocol.TonyToken;
import io.tony.protocol.proto.TonyProtos.CheckpointOutcome;
import io.tony.protocol.proto.TonyProtos.Checkpoints;
import io.tony.protocol.proto.TonyProtos.ExitedRequest;
import io.tony.protocol.proto.TonyProtos.HeartbeatRequest;
import io.tony.protocol.proto.TonyProtos.RegisterRequest;
import io.tony.protocol.proto.TonyProtos.Resume;
import io.tony.protocol.proto.TonyProtos.StartedRequest;
import io.tony.protocol.proto.TonyProtos.UploadSettings;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.security.token.TokenIdentifier;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/** An executor's JVM, started as its container starts it, and how it ends. */
public class TaskExecutorTest {
  private static final long MOST_RESIDENT_KIB = 80 * 1024;
  private static final long MOST_RESIDENT_WITH_HADOOP_KIB = 112 * 1024;

  /**
   * Those that are not in the JDK's shared archive take their time. By the first heartbeat after
   * the program's start it has 501, and 504 once it has sampled; 3 % are room for another JDK.
   */
  private static final long MOST_CLASSES_OF_ITS_OWN = 519;

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();
  @Rule public final Timeout limit = Timeout.seconds(120);

  private final JobKey jobKey = JobKey.random(LocalStaging.APPLICATION);
  private final List<Long> programs = new ArrayList<>();
  private final Credentials credentials = new Credentials();
  private String before = "";
  private List<String> as = List.of(); // the command that runs its JVM as another user
  private String classPath = System.getProperty("java.class.path");
  private Path folder;
  private Staging staging;
  private ServedMaster master;
  private Process executor;

  @Before
  public void serve() throws Exception {
    folder = temporary.getRoot().toPath();
    NamedPipe.make(folder.resolve("pipe"));
    staging = LocalStaging.create(temporary.newFolder("staging"));
    master = new ServedMaster(jobKey);
    master.announce(staging);
  }

  @After
  public void close() throws InterruptedException {
    if (executor != null) {
      executor.destroyForcibly().waitFor();
    }
    programs.forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
    master.close();
  }

  private void launch(Duration masterLost) throws IOException {
    ExecutorSettings settings =
        new ExecutorSettings(
            new TaskKey(new TaskId("worker", 0), 1, "container_7"),
            "127.0.0.1",
            master.address(),
            "auth",
            staging.master().toString(),
            masterLost,
            Duration.ofMillis(50),
            Duration.ZERO,
            Duration.ZERO,
            Duration.ofSeconds(20),
            2,
            false,
            false,
            "",
            false,
            new ExecutorSettings.Preflight("", Duration.ofMinutes(1), 0),
            new ExecutorSettings.Sampling(Duration.ofSeconds(5), 0, "nvidia-smi"));
    credentials.addToken(new Text(TonyToken.KIND), jobKey.token(TonyToken.Audience.EXECUTOR));
    File tokens = folder.resolve("tokens").toFile();
    credentials.writeTokenStorageFile(
        new org.apache.hadoop.fs.Path(tokens.toURI()), new Configuration());
    String command =
        JvmCommand.of(
                TonyConfig.builder()
                    .layer("the test", Map.of("tony.java.home", System.getProperty("java.home")))
                    .build(),
                64,
                "-cp " + ownClassPath() + " -Xlog:class+load:file=" + folder.resolve("classes"),
                TaskExecutor.class,
                "executor.log")
            .replace("<LOG_DIR>", folder.toString());
    List<String> line = new ArrayList<>(as);
    line.addAll(List.of("bash", "-c", before + command));
    ProcessBuilder builder = new ProcessBuilder(line).directory(temporary.newFolder("work"));
    builder.environment().putAll(settings.toEnvironment());
    builder.environment().put("CLASSPATH", classPath);
    builder.environment().put("LOG_DIRS", folder + ",/elsewhere");
    builder.environment().put(UserGroupInformation.HADOOP_TOKEN_FILE_LOCATION, tokens.toString());
    executor = builder.start();
  }

  /** The class path of the executor without Hadoop: in a container, one jar. */
  private static String ownClassPath() {
    return Stream.of(TaskExecutor.class, JvmCommand.class, Spawner.class)
        .map(type -> location(type).toString())
        .collect(Collectors.joining(File.pathSeparator));
  }

  private static Path location(Class<?> type) {
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().getPath());
  }

  private String told() throws IOException {
    String line = null;
    while (line == null) {
      try (BufferedReader reader = Files.newBufferedReader(folder.resolve("pipe"))) {
        line = reader.readLine();
      }
    }
    return line;
  }

  /** Starts a program that has two processes, which tell their ids; waits for them. */
  private void startProgram(String command) throws Exception {
    master.next(RegisterRequest.class);
    master.start(1, "cd " + folder + "; " + command);
    master.next(StartedRequest.class);
    for (String pid : told().split(" ", -1)) {
      programs.add(Long.parseLong(pid));
    }
  }

  private void awaitNoProgram() throws InterruptedException {
    for (long pid : programs) {
      ProcessWatch.awaitEnd(pid);
    }
  }

  private long residentKiB() throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/" + executor.pid() + "/status"))) {
      if (line.startsWith("VmRSS:")) {
        return Long.parseLong(line.replaceAll("\\D", ""));
      }
    }
    throw new AssertionError("the executor has ended");
  }

  @Test
  public void shouldLeaveNoProgramWhenItIsKilled() throws Exception {
    launch(Duration.ofMinutes(5));
    startProgram("trap '' TERM; sleep 1000 & echo $$ $! > pipe; while :; do wait; done");

    executor.destroyForcibly().waitFor();

    awaitNoProgram();
  }

  @Test
  public void shouldHandTheProgramItsTokensAndNoneOfItsOwn() throws Exception {
    credentials.addToken(new Text("hdfs"), token("HDFS_DELEGATION_TOKEN", "first"));
    launch(Duration.ofMinutes(5));
    startProgram("cp $HADOOP_TOKEN_FILE_LOCATION given; sleep 1000 & echo $$ $! > pipe; wait");

    assertEquals(Set.of("HDFS_DELEGATION_TOKEN first"), tokens(folder.resolve("given")));
    assertFalse("the executor's own are there", Files.exists(folder.resolve("tokens")));

    Credentials newer = new Credentials();
    newer.addToken(new Text("hdfs"), token("HDFS_DELEGATION_TOKEN", "second"));
    newer.addToken(new Text("am"), token("YARN_AM_RM_TOKEN", "of another"));
    master.handOver(DelegatedTokens.message(1, newer));

    Path file = folder.resolve("work/.tony/tokens");
    assertEquals(Set.of("HDFS_DELEGATION_TOKEN second"), tokens(file));
    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
  }

  @Test
  public void shouldNotPointTheProgramAtTokensWhereThereAreNone() throws Exception {
    launch(Duration.ofMinutes(5));
    startProgram(
        "echo \"[$HADOOP_TOKEN_FILE_LOCATION]\" > given; sleep 1000 & echo $$ $! > pipe; wait");

    assertEquals("[]\n", Files.readString(folder.resolve("given")));
  }

  private static Token<TokenIdentifier> token(String kind, String password) {
    return new Token<>(
        new byte[0], password.getBytes(StandardCharsets.UTF_8), new Text(kind), new Text("hdfs"));
  }

  private static Set<String> tokens(Path file) throws IOException {
    return Credentials.readTokenStorageFile(file.toFile(), new Configuration())
        .getAllTokens()
        .stream()
        .map(
            token ->
                token.getKind() + " " + new String(token.getPassword(), StandardCharsets.UTF_8))
        .collect(Collectors.toSet());
  }

  /** YARN reports the end of a container that it ends itself. */
  @Test
  public void shouldEndWithItsProgramAndReportNothingOnASignal() throws Exception {
    launch(Duration.ofMinutes(5));
    startProgram("trap 'exit 3' TERM; sleep 1000 & echo $$ $! > pipe; while :; do wait; done");

    executor.destroy();

    assertEquals(128 + 15, executor.waitFor());
    awaitNoProgram();
    String log = Files.readString(folder.resolve("executor.log"));
    assertTrue(log, log.contains("SIGTERM: the program is to end"));
    assertFalse(master.toldMore());
  }

  @Test
  public void shouldEndWithItsProgramWhenTheMasterIsLostForGood() throws Exception {
    launch(Duration.ofMillis(500));
    startProgram("sleep 1000 & echo $$ $! > pipe; wait");

    master.close();

    assertEquals(TaskExecutor.EXIT_MASTER_LOST, executor.waitFor());
    awaitNoProgram();
  }

  /** A gang of eight on a node starts eight of these JVMs at once. */
  @Test
  public void shouldLoadFewClasses() throws Exception {
    launch(Duration.ofMinutes(5));
    startProgram("sleep 1000 & echo $$ $! > pipe; wait");
    master.awaitHeartbeat();

    List<String> loaded = Files.readAllLines(folder.resolve("classes"));
    List<String> own = loaded.stream().filter(line -> !line.contains("shared objects")).toList();
    long ticks = ProcessStat.of(Long.toString(executor.pid())).ticks();
    System.out.println(
        "classes: " + loaded.size() + ", of its own " + own.size() + ", CPU " + 10 * ticks + " ms");
    assertEquals(List.of(), own.stream().filter(line -> line.contains("org.apache")).toList());
    assertTrue(own.size() + " classes", own.size() <= MOST_CLASSES_OF_ITS_OWN);
  }

  // ---- The user may have no more processes and threads ----

  /** Of nobody else on this machine. */
  private static final String USER = "54321";

  /** Its JVM and its own threads are some 40. */
  private static final int MAX_PROCESSES = 100;

  /** Has as many children as it can, says so, and ends when it is told to. */
  private static final String GREEDY =
      """
      exec python3 -c '
      import os, time
      try:
        while True:
          if os.fork() == 0:
            time.sleep(1000)
      except OSError:
        pass
      open("pipe", "w").write("full\\n")
      open("pipe").readline()
      os._exit(7)'
      """;

  /** Root's own processes are not counted. Its files, such as those of Maven's, are to be read. */
  private void launchUnderALimit() throws Exception {
    assumeTrue("only root can be another user", System.getProperty("user.name").equals("root"));
    assumeTrue("there is no setpriv", Files.exists(Path.of("/usr/bin/setpriv")));
    as =
        List.of(
            "setpriv",
            "--reuid=" + USER,
            "--regid=" + USER,
            "--clear-groups",
            "--inh-caps=+dac_override,+dac_read_search",
            "--ambient-caps=+dac_override,+dac_read_search",
            "prlimit",
            "--nproc=" + MAX_PROCESSES);
    launch(Duration.ofMinutes(5));
    master.next(RegisterRequest.class);
    master.start(1, "cd " + folder + "\n" + GREEDY);
    master.next(StartedRequest.class);
    assertEquals("full", told());
  }

  private static long processesOfTheUser() throws Exception {
    Process ps = new ProcessBuilder("ps", "-o", "pid=", "-u", USER).start();
    return ps.inputReader().lines().count();
  }

  private void awaitLogged(String text) throws Exception {
    while (!Files.readString(folder.resolve("executor.log")).contains(text)) {
      Thread.sleep(20); // nobody tells
    }
  }

  @Test
  public void shouldEndAProgramThatHasUsedUpAllProcesses() throws Exception {
    launchUnderALimit();

    master.stop(1);

    assertEquals(128 + 15, master.next(ExitedRequest.class).getExitCode());
    assertEquals(TaskExecutor.EXIT_DONE, executor.waitFor());
    while (processesOfTheUser() > 0) {
      Thread.sleep(20); // nobody tells
    }
  }

  /** The thread for its connection, and those that Hadoop starts, cannot be had for a while. */
  @Test
  public void shouldTellASuccessorOfTheEndOfAProgramThatHadUsedUpAllThreads() throws Exception {
    launchUnderALimit();
    master.awaitHeartbeat();
    master.close();
    awaitLogged("the ApplicationMaster's successor is not found");
    master = new ServedMaster(jobKey, "authentication", 0, 2);
    master.announce(staging);

    Files.writeString(folder.resolve("pipe"), "end\n");

    assertTrue(master.next(RegisterRequest.class).hasPid());
    assertEquals(7, master.next(ExitedRequest.class).getExitCode());
    master.stop(1);
    assertEquals(TaskExecutor.EXIT_DONE, executor.waitFor());
  }

  // ---- Tunnels ----

  private void startProgramThatLasts(String... environment) throws Exception {
    master.next(RegisterRequest.class);
    master.start(1, "exec sleep 1000", environment);
    programs.add(master.next(StartedRequest.class).getPid());
  }

  /** As under a NodeManager that a script has started in the background. */
  @Test
  public void shouldGiveAShellATerminalWithAnInterruptThoughTheNodeIgnoresIt() throws Exception {
    before = "trap '' INT QUIT; ";
    launch(Duration.ofMinutes(5));
    startProgramThatLasts();
    master.openTerminal();

    master.send("bash -c 'trap \"exit 5\" INT; echo $((40 + 2)); while :; do sleep 0.1; done'\n");
    master.hear("42\r\n");
    master.send("\u0003");
    master.send("exit $?\n");

    assertEquals(5, master.hearEnd().getExitCode());
  }

  @Test
  public void shouldLeaveNothingOfAShellWhenItIsKilled() throws Exception {
    launch(Duration.ofMinutes(5));
    startProgramThatLasts();
    programs.addAll(master.openShellWithProcesses());

    executor.destroyForcibly().waitFor();

    awaitNoProgram();
  }

  /** Its input waits, and is not read: the end of it cannot be seen. */
  @Test
  public void shouldLeaveNothingOfAShellThatReadsNothingWhenItIsKilled() throws Exception {
    launch(Duration.ofMinutes(5));
    startProgramThatLasts();
    programs.addAll(master.openShellWithProcesses());
    for (int i = 0; i < 20; i++) {
      master.send("x".repeat(50_000));
    }
    master.awaitHeartbeat();
    master.awaitHeartbeat();

    executor.destroyForcibly().waitFor();

    awaitNoProgram();
  }

  /** What it needs to find a successor was linked into the folder that the program owns now. */
  @Test
  public void shouldFollowASuccessorWhenTheProgramHasTidiedUp() throws Exception {
    Path reader = location(AddressReader.class);
    Path linked = Files.createSymbolicLink(folder.resolve("linked.jar"), reader);
    classPath = linked + "::" + System.getProperty("java.class.path").replace(reader + ":", "");
    launch(Duration.ofMinutes(5));
    startProgram("rm linked.jar; sleep 1000 & echo $$ $! > pipe; wait");
    master.awaitHeartbeat();

    master.close();
    master = new ServedMaster(jobKey, "authentication", 0, 2);
    master.announce(staging);

    assertTrue(master.next(RegisterRequest.class).hasPid());
  }

  private static Checkpoints keeping(Path cluster) {
    return Checkpoints.newBuilder()
        .setFolder(cluster.toUri().toString())
        .setUpload(
            UploadSettings.newBuilder()
                .setGeneration(CheckpointName.generation("application_1_2", 0))
                .setCounted(0)
                .setTasks(1)
                .setTraining("ab")
                .setApplication("application_1_2"))
        .setCopyTimeoutMs(Duration.ofMinutes(5).toMillis())
        .build();
  }

  private List<String> hadoopsClasses() throws IOException {
    try (Stream<String> lines = Files.lines(folder.resolve("classes"))) {
      return lines.filter(line -> line.contains("org.apache.hadoop")).toList();
    }
  }

  @Test
  public void shouldLoadNothingOfHadoopForAProgramThatNamesNoCheckpoint() throws Exception {
    launch(Duration.ofMinutes(5));
    master.next(RegisterRequest.class);
    master.start(1, "exit 3", keeping(folder.resolve("cluster")));
    master.next(StartedRequest.class);

    assertEquals(3, master.next(ExitedRequest.class).getExitCode());
    assertEquals(List.of(), hadoopsClasses());
  }

  /** Of more bytes than its JVM has memory. */
  @Test
  public void shouldKeepACheckpointAndBringItBack() throws Exception {
    launch(Duration.ofMinutes(5));
    master.next(RegisterRequest.class);
    Path cluster = folder.resolve("cluster/.tony");
    master.start(
        1,
        "f=$TONY_CHECKPOINT_LOCAL; mkdir $f/m; yes | head -c 130000000 > $f/m/größe.pt;"
            + " echo $f/m step=7 > $TONY_CHECKPOINT_FILE",
        keeping(cluster));
    master.next(StartedRequest.class);
    CheckpointOutcome kept = master.next(HeartbeatRequest.class).getCheckpoints(0);
    assertEquals("", kept.getProblem());
    assertEquals(130_000_000, kept.getBytes());
    assertEquals(0, master.next(ExitedRequest.class).getExitCode());
    System.out.println("130 MB kept in " + kept.getTookMs() + " ms; " + residentKiB() + " KiB");
    assertTrue(residentKiB() + " KiB", residentKiB() <= MOST_RESIDENT_WITH_HADOOP_KIB);

    master.restart(1, 2);
    master.next(RegisterRequest.class);
    master.start(
        2,
        "yes | head -c 130000000 | cmp - $TONY_CHECKPOINT_LATEST/größe.pt"
            + " && exit $TONY_CHECKPOINT_STEP",
        Checkpoints.newBuilder()
            .setFolder(cluster.toUri().toString())
            .setResume(Resume.newBuilder().setSet(kept.getSet()).setTask("worker-0").setNumber(7))
            .setCopyTimeoutMs(1)
            .build());
    master.next(StartedRequest.class);
    assertEquals(7, master.next(ExitedRequest.class).getExitCode());
  }

  @Test
  public void shouldStaySmallThroughAFailOverAndARestart() throws Exception {
    launch(Duration.ofMinutes(5));
    startProgram("sleep 1000 & echo $$ $! > pipe; wait");
    long before = residentKiB();

    master.awaitHeartbeat(); // the start is answered, and not reported again to the successor
    master.close();
    master = new ServedMaster(jobKey, "authentication", 0, 2);
    master.announce(staging);
    assertTrue(master.next(RegisterRequest.class).hasPid());
    long after = residentKiB();
    master.restart(1, 2);
    awaitNoProgram();
    master.next(RegisterRequest.class);
    master.stop(2);
    master.next(ExitedRequest.class);

    assertEquals(TaskExecutor.EXIT_DONE, executor.waitFor());
    System.out.println("resident: " + before + " KiB, after a failover " + after + " KiB");
    assertTrue(before + " KiB", before <= MOST_RESIDENT_KIB);
    assertTrue(after + " KiB", after <= MOST_RESIDENT_WITH_HADOOP_KIB);
  }
}
