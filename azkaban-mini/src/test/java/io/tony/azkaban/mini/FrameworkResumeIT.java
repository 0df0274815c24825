package io.tony.azkaban.mini;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertTrue;

import azkaban.executor.Status;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;

/**
 * The sample flows of the real frameworks go on from the last checkpoint that their program has
 * named, when the program of their chief has been killed.
 */
@RunWith(Parameterized.class)
public class FrameworkResumeIT extends ClusterFlowTest {
  private static final String CHIEF = "worker:0";

  /**
   * Python reads this file first. The chief's program stops itself the second time that it opens
   * the file in which it names checkpoints, once in a test: then one is named, and no other.
   */
  private static final String HOLD =
      """
      import os, signal, sys

      NAMES = os.environ.get("TONY_CHECKPOINT_FILE")
      opened = []


      def hold(event, arguments):
          if event == "open" and arguments[0] == NAMES:
              opened.append(True)
              if len(opened) == 2:
                  try:
                      os.mkdir("@held@")
                  except FileExistsError:
                      return
                  os.kill(os.getpid(), signal.SIGSTOP)


      if NAMES:
          sys.addaudithook(hold)
      """;

  /**
   * Which of their parameters says how far a framework's program goes, and how far it goes here.
   */
  private record Length(String parameter, int steps) {}

  private static final Map<String, Length> LENGTHS =
      Map.of(
          "pytorch", new Length("steps", 200),
          "tensorflow", new Length("steps", 200),
          "xgboost", new Length("rounds", 40));

  @Parameterized.Parameter public String framework;

  @Parameterized.Parameters(name = "{0}")
  public static List<String> frameworks() {
    return LENGTHS.keySet().stream().sorted().toList();
  }

  /** Not within a test's time limit: the first run on a machine takes minutes. */
  @Parameterized.BeforeParam
  public static void makeEnvironment(String framework) throws Exception {
    FrameworkEnvironments.require(framework);
  }

  @Test
  public void shouldGoOnFromItsCheckpointWhenTheChiefsProgramIsKilled() throws Exception {
    Length length = LENGTHS.get(framework);
    FlowExecution execution =
        start(
            sample(framework)
                .property("python", FrameworkEnvironments.python(framework))
                .property("checkpoint.dir", root().resolve("checkpoints").toString())
                .property("task_env.PYTHONPATH", writeHold().toString())
                .property(length.parameter(), Integer.toString(length.steps())));

    ToldEvent kept = events.awaitTold("train", "TASK_CHECKPOINT");
    assertEquals(CHIEF, kept.task());
    ToldEvent started = started(0);
    assertTrue(ProcessHandle.of(started.number("pid")).orElseThrow().destroyForcibly());

    FlowResult result = execution.await();
    assertEquals(log("train"), Status.SUCCEEDED, result.job("train").status());
    assertEquals("one application", 1, applicationIds("train").size());
    assertNotEquals(started.detail("pid"), started(1).detail("pid"));
    assertEquals(log("train"), 0, told("CHECKPOINT_NOT_KEPT").size());
    List<ToldEvent> resumes = told("GANG_RESUMES");
    assertEquals(resumes.toString(), 1, resumes.size());
    assertEquals(1, resumes.get(0).session());
    long from = resumes.get(0).number("number");
    assertEquals(kept.number("number"), from);
    assertEquals("it named no other", from, newestKept(0));
    assertTrue(from + " of " + length, from < length.steps());
    assertLogged("train", "resumes from step " + from);

    Map<String, String> outputs = result.job("train").outputProperties();
    assertEquals(Long.toString(from), outputs.get("tony.output.first_step"));
    double accuracy = Double.parseDouble(outputs.get("tony.output.accuracy"));
    assertTrue("accuracy " + accuracy, accuracy > 0.9);
    assertEquals("all its steps are kept", length.steps(), newestKept(1));
    assertAtTheEnd(outputs.get("tony.checkpoint.latest"), length.steps());
    assertEquals(Status.SUCCEEDED, result.status());
  }

  private Path writeHold() throws IOException {
    Path folder = Files.createDirectory(root().resolve("hold"));
    Files.writeString(
        folder.resolve("sitecustomize.py"),
        HOLD.replace("@held@", root().resolve("held").toString()),
        StandardCharsets.UTF_8);
    return folder;
  }

  private List<ToldEvent> told(String type) {
    return events.told("train").stream().filter(event -> event.type().equals(type)).toList();
  }

  /** When the chief's program was started in a start of the gang. */
  private ToldEvent started(int session) {
    return told("TASK_STARTED").stream()
        .filter(event -> event.session() == session && event.task().equals(CHIEF))
        .findFirst()
        .orElseThrow();
  }

  private long newestKept(int session) {
    LongStream steps =
        told("TASK_CHECKPOINT").stream()
            .filter(event -> event.session() == session)
            .mapToLong(event -> event.number("number"));
    return steps.max().orElseThrow();
  }

  /** The flow finds the last one where its job has said that it is, under the name that it had. */
  private static void assertAtTheEnd(String latest, int steps) throws Exception {
    assertTrue(latest, latest.startsWith(cluster().property("fs.default")));
    String path = URI.create(latest).getPath();
    int name = path.lastIndexOf('/') + 1;
    assertTrue(latest, path.substring(name).matches("(step|round)-" + steps + "(\\.\\w+)?"));
    assertEquals(List.of(path.substring(name)), cluster().hdfsNames(path.substring(0, name - 1)));
  }
}
