package io.tony.azkaban.mini;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import azkaban.executor.Status;
import io.tony.mini.MiniClusterProcess.Application;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.Test;

/** A secret reaches the program that it is for, and nothing that somebody else can read. */
public class SecretsIT extends ClusterFlowTest {

  /** Nothing else on this machine holds them. */
  private final String ofTheProgram = "program-" + UUID.randomUUID();

  private final String ofAnotherSystem = "other-" + UUID.randomUUID();

  @Test
  public void shouldShowSecretsToTheProgramOnly() throws Exception {
    Path released = root().resolve("released");
    Path seen = root().resolve("seen");
    files()
        .job(
            "train",
            tony(
                "tony.worker.instances=1",
                "executes=bash wait.sh",
                "task_params='" + seen + "' '" + released + "'",
                "worker_env.DB_PASSWORD=" + ofTheProgram,
                "mysql.password=" + ofAnotherSystem))
        .file(
            "src/wait.sh",
            "printf %s \"$DB_PASSWORD\" > \"$1\"",
            "until test -e \"$2\"; do sleep 0.1; done",
            "exit 3");
    FlowExecution execution = start(files().folder());
    Set<String> argv = new TreeSet<>();
    // From the client's start to the program's: each process on the way is looked at.
    while (!Files.exists(seen) && !events.changes().contains("train#0 FAILED")) {
      argv.addAll(commandLinesWithASecret());
      Thread.sleep(20);
    }
    events.awaitLine("train", "1/1 tasks running");
    argv.addAll(commandLinesWithASecret());
    Files.createFile(released);

    FlowResult result = execution.await();

    assertEquals("the program gets its password", ofTheProgram, read(seen));
    assertEquals(Status.FAILED, result.status());
    assertEquals("command lines", Set.of(), argv);
    Application application = application("train");
    assertFalse(holdsASecret(read(result.job("train").attempts().get(0).logFile())));
    assertFalse(holdsASecret(read(result.flowLog())));
    String history = cluster().hdfsHome() + "/.tony/history/" + application.id();
    String eventLog = cluster().hdfsText(history + "/events.jsonl");
    assertTrue(eventLog, eventLog.contains("JOB_FINISHED"));
    assertFalse(eventLog, holdsASecret(eventLog));
    assertEquals("logs of containers", List.of(), logsWithASecret(application));
    assertEquals(
        "what the job left in its folder", List.of("train.job"), filesWithASecret(result.folder()));
  }

  private boolean holdsASecret(String text) {
    return text.contains(ofTheProgram) || text.contains(ofAnotherSystem);
  }

  /** Of all processes of this machine that can be looked at. */
  private Set<String> commandLinesWithASecret() throws IOException {
    Set<String> found = new TreeSet<>();
    try (Stream<Path> processes = Files.list(Path.of("/proc"))) {
      for (Path process : (Iterable<Path>) processes::iterator) {
        try {
          byte[] argv = Files.readAllBytes(process.resolve("cmdline"));
          String text = new String(argv, StandardCharsets.UTF_8).replace('\0', ' ');
          if (holdsASecret(text)) {
            found.add(text);
          }
        } catch (IOException e) {
          // Not a process, or one that has ended meanwhile.
        }
      }
    }
    return found;
  }

  private List<String> logsWithASecret(Application application)
      throws IOException, InterruptedException {
    List<String> found = new ArrayList<>();
    for (Path container : cluster().containerLogs(application.id())) {
      found.addAll(filesWithASecret(container));
    }
    return found;
  }

  private List<String> filesWithASecret(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files
          .filter(Files::isRegularFile)
          .filter(this::fileHoldsASecret)
          .map(file -> folder.relativize(file).toString())
          .toList();
    }
  }

  private boolean fileHoldsASecret(Path file) {
    try {
      return holdsASecret(new String(Files.readAllBytes(file), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
