package io.tony.config.job;

import static org.junit.Assert.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.Test;

/** What the options of checkpoints are refused for. */
public class CheckpointRulesTest {
  private static List<String> errors(String... more) {
    List<String> all =
        new ArrayList<>(
            List.of(
                "tony.worker.instances",
                "2",
                "tony.ps.instances",
                "1",
                "tony.containers.command",
                "run"));
    all.addAll(List.of(more));
    Problems problems = new Problems();
    JobSpecReader.readLeniently(JobSpecReaderTest.config(all.toArray(String[]::new)), problems);
    return problems.errors();
  }

  @Test
  public void shouldTakeTheChiefWhateverItsRoleIsCalled() {
    assertEquals(List.of(), errors());
    assertEquals(List.of(), errors("tony.checkpoint.roles", "chief"));
    assertEquals(List.of(), errors("tony.checkpoint.roles", "worker, ps"));
    assertEquals(List.of(), errors("tony.checkpoint.roles", ""));
  }

  @Test
  public void shouldRefuseARoleThatTheJobDoesNotHave() {
    assertEquals(
        List.of(
            "tony.checkpoint.roles=chief,worker (job) names the role chief, which the job does not"
                + " have: name some of ps, worker, or `chief` alone"),
        errors("tony.checkpoint.roles", "chief,worker"));
  }

  @Test
  public void shouldRefuseToShareTheCheckpointsOfAStepThatIsNotKnown() {
    assertEquals(
        List.of(
            "tony.checkpoint.scope=step (job) needs the step of an Azkaban flow; not set:"
                + " tony.azkaban.flow, tony.azkaban.job. Outside Azkaban, set"
                + " tony.application.checkpoint-dir"),
        errors("tony.checkpoint.scope", "step", "tony.azkaban.project", "p"));
    assertEquals(
        List.of(),
        errors("tony.checkpoint.scope", "step", "tony.application.checkpoint-dir", "/c"));
    assertEquals(
        List.of(),
        errors(
            "tony.checkpoint.scope",
            "step",
            "tony.azkaban.project",
            "p",
            "tony.azkaban.flow",
            "f",
            "tony.azkaban.job",
            "j"));
  }

  @Test
  public void shouldRefuseToKeepNone() {
    assertEquals(
        List.of("tony.checkpoint.keep=0 (job): expected a whole number, at least 1"),
        errors("tony.checkpoint.keep", "0"));
    assertEquals(
        List.of(
            "tony.checkpoint.copy-timeout=0 (job): expected a duration above 0, such as 500ms or 30s"
                + " (a number without a unit is in ms)"),
        errors("tony.checkpoint.copy-timeout", "0"));
    assertEquals(
        List.of("tony.checkpoint.resume=sometimes (job): expected one of same, always, never"),
        errors("tony.checkpoint.resume", "sometimes"));
  }

  @Test
  public void shouldRefuseToCopyForLongerThanATaskMayTakeToRegister() {
    String copy = "tony.checkpoint.copy-timeout";
    String registration = "tony.container.registration.timeout";
    assertEquals(
        List.of(
            "tony.checkpoint.copy-timeout=892s (job), with the 3000 ms of tony.task.stop-grace-ms"
                + " and 5 s more, is not shorter than the 900 s of"
                + " tony.container.registration.timeout, and tasks that are started again register"
                + " only after it: lower the first or raise the last"),
        errors(copy, "892s"));
    assertEquals(List.of(), errors(copy, "891s"));
    assertEquals(1, errors(copy, "880s", "tony.task.stop-grace-ms", "15000").size());
    assertEquals(List.of(), errors(copy, "2h", registration, "-1"));
    assertEquals(List.of(), errors(copy, "15m", registration, "16m"));
    assertEquals("it is shortened by itself", List.of(), errors(registration, "10s"));
  }
}
