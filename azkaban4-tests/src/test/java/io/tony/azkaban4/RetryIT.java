package io.tony.azkaban4;

import static org.junit.Assert.assertEquals;

import io.tony.testing.BuildArtifacts;
import io.tony.testing.FolderCopy;
import io.tony.testing.Python;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.Test;

/** Another attempt of a step in the same execution, of Azkaban's own accord or a person's. */
public final class RetryIT extends Azkaban4Test {

  /** The sample program dies at its first start, at step 47. */
  private static final int LAST_CHECKPOINT = 40;

  @Test
  public void shouldGoOnFromTheCheckpointOfTheFailedAttempt() throws Exception {
    FolderCopy.copy(
        BuildArtifacts.file("sample-flows/resume/src"), files().folder().resolve("src"));
    files()
        .job(
            "train",
            tony(
                ONE_WORKER,
                "src_dir=src",
                "executes=count.py",
                "python_binary_path=" + Python.path(),
                "retries=1",
                "retry.backoff=10"))
        .job(
            "report",
            "type=command",
            "dependencies=train",
            "command=echo from ${tony.output.first_step} to ${tony.output.sum}");

    Execution execution = execute("report");

    execution.assertEnds("SUCCEEDED");
    assertEquals(List.of("FAILED", "SUCCEEDED"), execution.attempts("train"));
    execution.assertLogged("report", "from " + LAST_CHECKPOINT + " to 5050");
  }

  /** The program failed as often as would make any further start futile; a person knows better. */
  @Test
  public void shouldTrainAgainWhenAPersonRetriesWhatFailedInTheSameWay() throws Exception {
    Path data = root().resolve("data");
    Path go = root().resolve("go");
    files()
        .job("train", tony(ONE_WORKER, "tony.gang.max-restarts=3", "executes=test -e " + data))
        .job("sibling", tony(ONE_WORKER, "executes=" + waitFor(go)))
        .job("end", "type=noop", "dependencies=train,sibling");
    Execution execution = execute(files().folder(), "end", new FlowOptions().finishPossible());
    execution.awaitStatus("train", "FAILED");
    execution.awaitLine("sibling", "1/1 tasks running");

    Files.createFile(data);
    execution.retryFailed();
    execution.awaitAttempt("train", 1);
    execution.awaitStatus("train", "SUCCEEDED");
    Files.createFile(go);

    execution.assertEnds("SUCCEEDED");
    assertEquals(List.of("FAILED", "SUCCEEDED"), execution.attempts("train"));
    assertEquals(List.of("SUCCEEDED"), execution.attempts("sibling"));
  }
}
