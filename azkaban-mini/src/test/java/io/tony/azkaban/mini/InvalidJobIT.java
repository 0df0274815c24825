package io.tony.azkaban.mini;

import static org.junit.Assert.assertEquals;

import azkaban.executor.Status;
import org.junit.Test;

/** A job that cannot work fails with all that is wrong in its log, before anything is submitted. */
public class InvalidJobIT extends ClusterFlowTest {

  @Test
  public void shouldNameEveryProblemOfABadJobAndSubmitNothing() throws Exception {
    int before = applications();
    files()
        .job(
            "train",
            tony(
                "executes=models/train.py",
                "python_binary_path=python3",
                "tony.worker.instances=1",
                "tony.worker.memmory=1g",
                "tony.worker.memory=64g",
                "tony.yarn.queue=no-such-queue"))
        .job("empty", tony("tony.application.framework=generic"))
        .job("publish", "type=command", "dependencies=train,empty", "command=echo never")
        .file("src/other.py", "pass");

    FlowResult result = run(files().folder());

    assertEquals(Status.FAILED, result.status());
    assertEquals(Status.FAILED, result.job("train").status());
    assertEquals(Status.FAILED, result.job("empty").status());
    assertEquals(Status.CANCELLED, result.job("publish").status());
    assertLogged("train", "executes names the script models/train.py, which is not in src_dir ");
    assertLogged("train", ": put it there, or name it relative to that folder");
    assertLogged(
        "train",
        "tony.worker.memmory (job properties) is not an option: did you mean tony.worker.memory?");
    assertLogged(
        "train",
        "each worker asks for 65536 MiB; the cluster's largest container has 4096 MiB"
            + " (yarn.scheduler.maximum-allocation-mb). Lower tony.worker.memory or ask");
    assertLogged(
        "train",
        "queue no-such-queue does not exist; set tony.yarn.queue to one of"
            + " [default, nightly, training]");
    assertLogged("train", "(INVALID, exit code 2, no application)");
    assertLogged("empty", "the job has no command: set executes (tony.application.executes)");
    assertLogged("empty", "(INVALID, exit code 2, no application)");
    assertEquals(before, applications());
  }
}
