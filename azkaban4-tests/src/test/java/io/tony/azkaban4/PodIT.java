package io.tony.azkaban4;

import static org.junit.Assert.assertEquals;

import java.nio.file.Path;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;

/** Executions in pods: one process for each, which ends with the execution. */
public final class PodIT extends Azkaban4Test {

  @Before
  public void leaveExecutionsToPods() throws Exception {
    Pod.assumePossible();
    azkaban().takeExecutions(false);
  }

  @After
  public void takeExecutionsAgain() throws Exception {
    azkaban().takeExecutions(true);
  }

  @Test
  public void shouldTrainWithThePluginAsItIsInstalled() throws Exception {
    files()
        .job("train", tony(ONE_WORKER, "src_dir=src", "executes=grep -q words vocabulary.txt"))
        .file("src/vocabulary.txt", "words");
    Execution execution = execute("train");
    Path folder = root().resolve("pod");

    try (Pod pod = Pod.start(azkaban(), folder, execution.id())) {
      execution.assertEnds("SUCCEEDED");
      pod.awaitEnd();
    }

    assertEquals("SUCCEEDED", application(execution, "train").finalStatus());
  }
}
