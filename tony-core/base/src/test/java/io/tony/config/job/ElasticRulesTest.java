package io.tony.config.job;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.model.JobSpec;
import io.tony.model.RoleSpec;
import java.util.ArrayList;
import java.util.List;
import org.junit.Test;

/** Which roles a gang may have fewer tasks of, and what is refused. */
public class ElasticRulesTest {
  private static final String LEAST = "tony.worker.min-instances";

  private final Problems problems = new Problems();

  private JobSpec read(String... more) {
    List<String> all =
        new ArrayList<>(
            List.of(
                "tony.worker.instances",
                "4",
                "tony.ps.instances",
                "2",
                "tony.containers.command",
                "run"));
    all.addAll(List.of(more));
    return JobSpecReader.readLeniently(
        JobSpecReaderTest.config(all.toArray(String[]::new)), problems);
  }

  private List<String> errors(String... more) {
    read(more);
    return problems.errors();
  }

  @Test
  public void shouldReadTheLeastNumberOfTasks() {
    JobSpec job = read(LEAST, "2");

    RoleSpec worker = job.role("worker");
    assertEquals(List.of(), problems.errors());
    assertEquals(
        List.of(2, 4, 4),
        List.of(worker.minInstances(), worker.instances(), worker.maxInstances()));
    assertTrue(worker.isElastic());
    assertFalse(job.role("ps").isElastic());
  }

  @Test
  public void shouldNeedAllTasksWithoutIt() {
    assertFalse(read().isElastic());
    assertFalse(read(LEAST, "4").isElastic());
  }

  @Test
  public void shouldRefuseMoreThanThereAre() {
    assertEquals(
        List.of(LEAST + "=5 (job) is more than tony.worker.instances=4: lower it"),
        errors(LEAST, "5"));
  }

  @Test
  public void shouldTellAllThatKeepsTheGangFromGoingOnWithFewer() {
    List<String> errors =
        errors(
            LEAST,
            "2",
            "tony.worker.retry-count",
            "1",
            "tony.checkpoint.roles",
            "worker",
            "tony.application.distributed-mode",
            "fcfs");

    assertEquals(errors.toString(), 3, errors.size());
    assertTrue(errors.get(0), errors.get(0).contains("needs a gang"));
    assertTrue(errors.get(1), errors.get(1).contains("take out tony.worker.retry-count"));
    assertTrue(errors.get(2), errors.get(2).contains("Let the chief keep them"));
  }

  @Test
  public void shouldRefuseRolesThatNobodyOrSomebodyWaitsFor() {
    List<String> errors =
        errors(
            "tony.ps.min-instances",
            "1",
            LEAST,
            "2",
            "tony.ps.depends-on",
            "worker",
            "tony.application.untracked.roles",
            "ps");

    assertEquals(errors.toString(), 2, errors.size());
    assertTrue(errors.toString(), errors.get(0).contains("roles that the job waits for"));
    assertTrue(errors.toString(), errors.get(1).contains("not for a role that others wait for"));
  }

  @Test
  public void shouldLetTasksJoinThatTheJobDoesNotWaitFor() {
    JobSpec job =
        read(
            LEAST,
            "2",
            "tony.ps.min-instances",
            "1",
            "tony.application.untracked.roles",
            "ps",
            "tony.elastic.live-resize",
            "true");

    assertEquals(List.of(), problems.errors());
    assertTrue(job.limits().elasticity().liveResize());
    assertTrue(job.role("ps").isElastic());
  }

  @Test
  public void shouldRefuseToLetTasksJoinWhereRolesWaitForEachOther() {
    List<String> errors =
        errors(
            LEAST,
            "2",
            "tony.evaluator.instances",
            "1",
            "tony.worker.depends-on",
            "evaluator",
            "tony.elastic.live-resize",
            "true");

    assertEquals(
        List.of(
            LEAST
                + "=2 (job) cannot go with tony.elastic.live-resize=true (job) in a job whose"
                + " roles wait for each other: take one of them out"),
        errors);
  }
}
