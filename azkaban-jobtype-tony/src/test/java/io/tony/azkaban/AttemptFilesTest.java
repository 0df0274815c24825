package io.tony.azkaban;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Attempts in this JVM and in others, which are really killed. */
public final class AttemptFilesTest {

  private static final String TMPDIR = "java.io.tmpdir";

  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  private final String tmpdir = System.getProperty(TMPDIR);
  private final List<Process> others = new ArrayList<>();
  private Path temporary;

  @Before
  public void prepare() throws Exception {
    temporary = folder.newFolder("tmp").toPath();
    System.setProperty(TMPDIR, temporary.toString());
  }

  @After
  public void endAll() throws Exception {
    System.setProperty(TMPDIR, tmpdir);
    for (Process other : others) {
      other.destroyForcibly().waitFor();
    }
  }

  /** Another Azkaban executor: holds one attempt until it is killed. */
  public static final class Executor {
    private Executor() {}

    public static void main(String[] args) throws Exception {
      AttemptFiles files = AttemptFiles.create("train", "0");
      files.writeJob(Map.of("task_env.PASSWORD", "hunter2"));
      System.out.println(files.folder());
      System.in.read();
      files.close();
    }
  }

  @Test
  public void shouldDeleteTheFilesOfAKilledExecutor() throws Exception {
    Process killed = startExecutor();
    Path left = folderOf(killed);
    Files.createFile(left.resolve("hs_err_pid1.log")); // as of a client that crashed
    Files.createFile(Files.createDirectories(left.resolve("a/b")).resolve("lock-1-1"));
    Path elsewhere = folder.newFolder("elsewhere").toPath();
    Path mine = Files.createFile(elsewhere.resolve("mine"));
    Files.createSymbolicLink(left.resolve("link"), elsewhere);
    killed.destroyForcibly().waitFor();
    assertTrue(Files.exists(left.resolve("job.properties")));

    AttemptFiles next = AttemptFiles.create("train", "1");

    assertFalse(Files.exists(left));
    assertTrue(Files.exists(mine));
    next.close();
    assertEquals(List.of(), names());
  }

  @Test
  public void shouldKeepTheFilesOfEveryLivingAttempt() throws Exception {
    Process other = startExecutor();
    Path ofOther = folderOf(other);
    AttemptFiles own = AttemptFiles.create("train", "0");
    own.writeJob(Map.of());
    AttemptFiles second = AttemptFiles.create("train", "1"); // its JVM holds the lock of the first

    Process third = startExecutor(); // looks whether it still does
    folderOf(third);

    assertTrue(Files.exists(ofOther.resolve("job.properties")));
    assertTrue(Files.exists(own.job()));
    own.close();
    second.close();
  }

  @Test
  public void shouldNotTakeForAnAttemptWhatIsNone() throws Exception {
    Path elsewhere = folder.newFolder("elsewhere").toPath();
    Files.setPosixFilePermissions(elsewhere, PosixFilePermissions.fromString("rwx------"));
    Path mine = Files.createFile(elsewhere.resolve("lock-1-1"));
    Files.createSymbolicLink(temporary.resolve(".tony-link"), elsewhere);
    Path linked = closed(".tony-linked-lock");
    Files.createSymbolicLink(linked.resolve("lock-1-1"), mine);
    Path beingMade = closed(".tony-being-made");
    Files.createFile(beingMade.resolve("unlocked"));
    Path open = closed(".tony-open");
    Files.createFile(open.resolve("lock-1-1"));
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));

    AttemptFiles.create("train", "0").close();

    assertTrue(Files.exists(mine));
    assertTrue(Files.exists(linked));
    assertTrue(Files.exists(beingMade));
    assertTrue(Files.exists(open));
  }

  @Test
  public void shouldDeleteAFolderOnceWhateverTheOthersDo() throws Exception {
    for (int i = 0; i < 20; i++) {
      Path dead = closed(".tony-dead-" + i);
      Files.createFile(dead.resolve("lock-1-1"));
      Files.createFile(dead.resolve("job.properties"));
    }
    ExecutorService threads = Executors.newFixedThreadPool(4);
    Callable<Path> attempt =
        () -> {
          AttemptFiles files = AttemptFiles.create("train", "0");
          files.writeJob(Map.of());
          return files.folder();
        };
    List<Path> created = new ArrayList<>();
    try {
      for (Future<Path> future : threads.invokeAll(List.of(attempt, attempt, attempt, attempt))) {
        created.add(future.get(30, TimeUnit.SECONDS));
      }
    } finally {
      threads.shutdownNow();
    }

    for (Path files : created) {
      assertTrue(Files.exists(files.resolve("job.properties")));
    }
    assertEquals(created.size(), names().size());
  }

  private Path closed(String name) throws Exception {
    return Files.createDirectory(
        temporary.resolve(name),
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
  }

  private List<String> names() throws Exception {
    try (var files = Files.list(temporary)) {
      return files.map(file -> file.getFileName().toString()).toList();
    }
  }

  private Process startExecutor() throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin/java").toString(),
                "-D" + TMPDIR + "=" + temporary,
                "-cp",
                InstalledPlugin.classesOf(AttemptFiles.class)
                    + ":"
                    + InstalledPlugin.classesOf(AttemptFilesTest.class),
                Executor.class.getName())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    others.add(process);
    return process;
  }

  private static Path folderOf(Process executor) throws Exception {
    BufferedReader reader = executor.inputReader();
    return Path.of(reader.readLine());
  }
}
