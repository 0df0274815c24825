package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.model.JobEvent;
import io.tony.testing.LeavesNothing;
import io.tony.testing.TonyCommand;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.Before;
import org.junit.ClassRule;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.RuleChain;
import org.junit.rules.TemporaryFolder;

/**
 * Containers that run as their submitters' own users of the operating system, as on clusters with
 * Kerberos: what two users do is kept apart by the kernel, and nothing rests on the NodeManager's
 * user. YARN's Java code is real; its native helper, which is in no registry, has a stand-in.
 */
public class LinuxContainersIT {
  private static final String NAME = "mini-linux";
  private static final String PREEMPTION = "yarn.resourcemanager.monitor.capacity.preemption";
  private static final String ROOT = "yarn.scheduler.capacity.root";

  private static final SystemUsers USERS = new SystemUsers("tonyalice", "tonybob");
  private static final LinuxContainers CONTAINERS = new LinuxContainers(NAME);

  /** Each queue owns one of the two nodes and may borrow the other. */
  private static final OwnCluster CLUSTER =
      new OwnCluster(
          NAME,
          CONTAINERS.options(
              "yarn.resourcemanager.scheduler.monitor.enable=true",
              PREEMPTION + ".monitoring_interval=500",
              PREEMPTION + ".max_wait_before_kill=500",
              PREEMPTION + ".total_preemption_per_round=1",
              PREEMPTION + ".natural_termination_factor=1",
              "yarn.scheduler.capacity.resource-calculator"
                  + "=org.apache.hadoop.yarn.util.resource.DefaultResourceCalculator",
              ROOT + ".queues=default,urgent",
              ROOT + ".default.capacity=50",
              ROOT + ".default.user-limit-factor=2",
              ROOT + ".urgent.capacity=50"));

  @ClassRule
  public static final RuleChain PARTS =
      RuleChain.outerRule(USERS).around(CONTAINERS).around(CLUSTER);

  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  /** Within the rule above: jobs are over before their folder is deleted. */
  @Rule(order = 1)
  public final LeavesNothing leavesNothing = new LeavesNothing(CLUSTER);

  /** Master, executor, and the program's own child. */
  private static final List<String> PARTS_OF_A_JOB =
      List.of("AmMain", "TaskExecutor", "sleep 4571");

  private final String alice = USERS.name(0);
  private final String bob = USERS.name(1);

  @Before
  public void makeHomes() throws Exception {
    for (String user : List.of(alice, bob)) {
      CLUSTER.daemons().makeHome(user);
    }
    // The programs look into it; JUnit keeps it to its own user.
    Files.setPosixFilePermissions(
        folder.getRoot().toPath(), PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private TonyCommand submit(String user, String... arguments) throws IOException {
    return CLUSTER.submitAs(user, folder.getRoot().toPath(), arguments);
  }

  private Path go() {
    return folder.getRoot().toPath().resolve("go");
  }

  private String untilGo() {
    return "sleep 4571 & until test -e " + go() + "; do sleep 0.1; done";
  }

  private static Path nodes() throws IOException {
    return Path.of("target", NAME, "yarn/nodes").toRealPath();
  }

  private static List<ProcessHandle> processes(String application) throws IOException {
    Path nodes = nodes();
    try (Stream<ProcessHandle> all = ProcessHandle.allProcesses()) {
      return all.filter(
              process ->
                  ClusterTest.folderOf(process)
                      .filter(cwd -> cwd.startsWith(nodes))
                      .filter(cwd -> cwd.toString().contains(application))
                      .isPresent())
          .toList();
    }
  }

  /** Nothing for a process that has ended meanwhile: the programs' shells start many short ones. */
  private static Optional<String> owner(ProcessHandle process) throws IOException {
    try {
      return Optional.of(Files.getOwner(Path.of("/proc", Long.toString(process.pid()))).getName());
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  /** The client hears of a program a moment before the program has done anything. */
  private static void awaitProgram(String application) throws Exception {
    while (processes(application).stream()
        .noneMatch(p -> p.info().commandLine().orElse("").endsWith(PARTS_OF_A_JOB.get(2)))) {
      Thread.sleep(50); // within the test's limit
    }
  }

  private static void assertRunAs(String user, String application) throws Exception {
    awaitProgram(application);
    Set<String> owners = new TreeSet<>();
    List<String> commands = new ArrayList<>();
    for (ProcessHandle process : processes(application)) {
      String command = process.info().commandLine().orElse("");
      owner(process)
          .ifPresent(
              owner -> {
                owners.add(owner);
                commands.add(command);
              });
    }
    assertEquals(commands.toString(), Set.of(user), owners);
    for (String part : PARTS_OF_A_JOB) {
      assertTrue(
          part + " is not among " + commands, commands.stream().anyMatch(c -> c.contains(part)));
    }
  }

  /** All files that containers of the application have on the nodes, and what YARN keeps of it. */
  private static List<Path> files(String user, String application) throws IOException {
    List<Path> files = new ArrayList<>();
    Files.walkFileTree(
        nodes(),
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            String name = file.toString();
            if (name.contains(application) || name.contains("/usercache/" + user + "/")) {
              files.add(file);
            }
            return FileVisitResult.CONTINUE;
          }

          /** It is gone meanwhile. */
          @Override
          public FileVisitResult visitFileFailed(Path file, IOException failure) {
            return FileVisitResult.CONTINUE;
          }
        });
    return files;
  }

  @Test
  public void shouldRunMasterExecutorAndProgramAsTheSubmittersUser() throws Exception {
    String say = "id -un; umask; " + untilGo();
    try (TonyCommand ofAlice = submit(alice, "-executes", say, "-conf", "tony.worker.instances=1");
        TonyCommand ofBob = submit(bob, "-executes", say, "-conf", "tony.worker.instances=1")) {
      ofAlice.await("1/1 tasks running");
      ofBob.await("1/1 tasks running");
      assertRunAs(alice, ofAlice.application());
      assertRunAs(bob, ofBob.application());
      CLUSTER.daemons().awaitReported(ofAlice.application(), 2);
      OwnCluster.master(ofAlice.application()).destroyForcibly();
      ofAlice.awaitTakeover(1);
      assertRunAs(alice, ofAlice.application());
      Files.createFile(go());
      ofAlice.assertExit(0);
      ofBob.assertExit(0);

      String log =
          OwnCluster.stdout(
              CLUSTER.events(bob, ofBob.application(), JobEvent.Type.TASK_ALLOCATED).get(0));
      assertTrue(log, log.contains(bob + "\n0027"));
    }
  }

  @Test
  public void shouldKeepAJobsFilesFromAnotherUser() throws Exception {
    Path source = folder.newFolder("src").toPath();
    Files.writeString(source.resolve("model.py"), "weights");
    try (TonyCommand job =
        submit(
            alice,
            "-executes",
            untilGo(),
            "-src_dir",
            source.toString(),
            "-conf",
            "tony.worker.instances=1",
            "-conf",
            "tony.worker.env.API_KEY=hidden-4711")) {
      job.await("1/1 tasks running");
      awaitProgram(job.application());
      List<Path> files = files(alice, job.application());
      for (String expected :
          List.of(
              "launch_container.sh",
              "tony-job.properties",
              ".tony/command.sh",
              "model.py",
              "am.log",
              "executor.log",
              "stdout")) {
        assertTrue(
            expected + " is not among " + files,
            files.stream().anyMatch(f -> f.endsWith(expected)));
      }
      assertTrue(
          "the tokens of master and executor are there: " + files,
          files.stream().noneMatch(f -> f.endsWith("container_tokens")));
      List<Path> program = new ArrayList<>();
      for (ProcessHandle process : processes(job.application())) {
        String command = process.info().commandLine().orElse("");
        if (PARTS_OF_A_JOB.stream().anyMatch(command::endsWith)) {
          program.add(Path.of("/proc", Long.toString(process.pid()), "environ"));
        }
      }
      assertEquals(program.toString(), PARTS_OF_A_JOB.size(), program.size());
      assertEquals(List.of(), SystemUsers.readableBy(bob, files));
      assertEquals(List.of(), SystemUsers.readableBy(bob, program));
      assertTrue(SystemUsers.readableBy(alice, files).size() > files.size() / 2);
      assertEquals(program, SystemUsers.readableBy(alice, program));
      Files.createFile(go());
      job.assertExit(0);

      awaitGone(job.application());
      try (Stream<Path> temporary = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
        assertEquals(
            List.of(), temporary.filter(file -> ownedBy(Set.of(alice, bob), file)).toList());
      }
    }
  }

  private static boolean ownedBy(Set<String> users, Path file) {
    try {
      return users.contains(Files.getOwner(file).getName());
    } catch (IOException e) {
      return false; // somebody else's, gone meanwhile
    }
  }

  /**
   * The nodes delete the working folders of a job that has ended, as its user, in their own time.
   */
  private void awaitGone(String application) throws Exception {
    while (files(alice, application).stream()
        .anyMatch(f -> f.toString().contains("/appcache/" + application))) {
      Thread.sleep(50);
    }
  }

  @Test
  public void shouldLeaveNothingWhenItIsKilled() throws Exception {
    try (TonyCommand job =
        submit(alice, "-executes", "sleep 4561 & sleep 4562", "-conf", "tony.worker.instances=2")) {
      job.await("2/2 tasks running");
      assertFalse(processes(job.application()).isEmpty());
      job.terminate();
      assertEquals(job.text(), 143, job.exitCode());
      assertEquals("KILLED", CLUSTER.daemons().application(job.application()).finalStatus());
    }
  }

  /** In its containers, then in another one for an executor that is killed, and then no more. */
  @Test
  public void shouldStartTheGangAgainAndTellWhatAFailedProgramSaid() throws Exception {
    try (TonyCommand job =
        submit(
            alice,
            "-executes",
            "case $TONY_ATTEMPT in 0) until test -e "
                + go()
                + "; do sleep 0.1; done; exit 1;; 1) sleep 4572;; esac;"
                + " echo loss 0.25; echo the reason >&2; exit 3",
            "-conf",
            "tony.worker.instances=2",
            "-conf",
            "tony.gang.max-restarts=1")) {
      job.await("2/2 tasks running");
      Files.createFile(go());
      job.await("2/2 tasks running", 2);
      String application = job.application();
      OwnCluster.executor(application).destroyForcibly();
      job.assertExit(1);

      assertEquals(
          List.of("PROGRAM", "LOST"),
          CLUSTER.events(alice, application, JobEvent.Type.GANG_RESTARTED).stream()
              .map(event -> event.detail("kind"))
              .toList());
      assertEquals(3, CLUSTER.events(alice, application, JobEvent.Type.TASK_ALLOCATED).size());
      assertTrue(job.text(), job.text().contains("\n    the reason\n"));
      assertTrue(job.text(), job.text().contains("exited with code 3, log http://"));
      List<JobEvent> failures = CLUSTER.events(alice, application, JobEvent.Type.TASK_FAILED);
      String log = OwnCluster.stdout(failures.get(failures.size() - 1));
      assertTrue(log, log.contains("loss 0.25"));
    }
  }

  @Test
  public void shouldLeaveNothingOfAContainerThatIsPreempted() throws Exception {
    try (TonyCommand borrower =
        submit(
            alice,
            "-executes",
            untilGo(),
            "-conf",
            "tony.worker.instances=2",
            "-conf",
            "tony.worker.memory=3g")) {
      borrower.await("2/2 tasks running");
      try (TonyCommand owner =
          submit(
              bob,
              "-executes",
              "true",
              "-conf",
              "tony.yarn.queue=urgent",
              "-conf",
              "tony.worker.instances=1",
              "-conf",
              "tony.worker.memory=3g")) {
        owner.assertExit(0);
      }
      borrower.await("2/2 tasks running", 2);
      Files.createFile(go());
      borrower.assertExit(0);
      JobEvent restart =
          CLUSTER.events(alice, borrower.application(), JobEvent.Type.GANG_RESTARTED).get(0);
      assertEquals("PREEMPTED", restart.detail("kind"));
    }
  }

  /** Nobody looks after its containers then; the executor ends its program, and itself. */
  @Test
  public void shouldLeaveNothingOnANodeWhoseNodeManagerIsKilled() throws Exception {
    try (TonyCommand job =
        submit(
            alice,
            "-executes",
            untilGo(),
            "-conf",
            "tony.worker.instances=3",
            "-conf",
            "tony.worker.memory=3500m")) {
      job.await("asking for");
      try (OwnNode node = CLUSTER.addNode(11, 4096)) {
        job.await("3/3 tasks running");
        String application = job.application();
        JobEvent allocated =
            CLUSTER.events(alice, application, JobEvent.Type.TASK_ALLOCATED).stream()
                .filter(event -> event.detail("node").equals(node.host()))
                .findFirst()
                .orElseThrow();
        List<ProcessHandle> there =
            processes(application).stream().filter(p -> worksIn(allocated, p)).toList();
        assertFalse(there.isEmpty());
        node.kill();
        job.terminate();
        for (ProcessHandle process : there) {
          process.onExit().get();
        }
      }
      assertEquals(job.text(), 143, job.exitCode());
    }
  }

  private static boolean worksIn(JobEvent allocated, ProcessHandle process) {
    return ClusterTest.folderOf(process)
        .filter(cwd -> cwd.toString().contains(allocated.detail("container")))
        .isPresent();
  }
}
