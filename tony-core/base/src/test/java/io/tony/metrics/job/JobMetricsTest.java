package io.tony.metrics.job;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.event.Fact;
import io.tony.event.GangFact;
import io.tony.event.JobDescription;
import io.tony.event.JobFact;
import io.tony.event.ResizeFact;
import io.tony.event.RetryBudgetOwner;
import io.tony.event.TaskFact;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.TaskId;
import io.tony.timeline.WrittenLog;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.Test;

/** What a job tells of itself, by its log. */
public class JobMetricsTest {
  private static final JobFact.Described DESCRIBED =
      new JobFact.Described(
          new JobDescription(
              "ada",
              "root.research",
              "night \"x\"\n",
              "pytorch",
              JobDescription.AzkabanStep.NONE,
              Map.of(),
              ""));

  private final JobMetrics metrics = new JobMetrics("application_1_2");

  /** The samples by name and labels, at a second of the log. */
  private Map<String, String> samples(double second) {
    return Arrays.stream(text(second).split("\n"))
        .filter(line -> !line.startsWith("#"))
        .collect(
            Collectors.toMap(
                line -> line.substring(0, line.lastIndexOf(' ')),
                line -> line.substring(line.lastIndexOf(' ') + 1),
                (one, other) -> {
                  throw new AssertionError("told twice: " + one + ", " + other);
                },
                LinkedHashMap::new));
  }

  private String text(double second) {
    return metrics.text(WrittenLog.second(second));
  }

  private void tell(WrittenLog log) {
    log.events().forEach(metrics::add);
  }

  private void tell(Fact fact) {
    metrics.add(fact.toEvent(WrittenLog.second(15), 0));
  }

  private static void assertTold(Map<String, String> told, String name, String value) {
    assertEquals(name + " of " + told, value, told.get(name));
  }

  @Test
  public void shouldTellAJobThatRuns() {
    tell(WrittenLog.plain());
    tell(DESCRIBED);
    Map<String, String> told = samples(20);
    assertTold(
        told,
        "tony_job_info{application=\"application_1_2\",user=\"ada\",queue=\"root.research\","
            + "name=\"night \\\"x\\\"\\n\",framework=\"pytorch\"}",
        "1");
    assertTold(told, "tony_job_phase{phase=\"running\"}", "1");
    assertTold(told, "tony_job_phase{phase=\"allocating\"}", "0");
    assertTold(told, "tony_job_tasks", "2");
    assertTold(told, "tony_tasks{role=\"worker\",state=\"running\"}", "2");
    assertTold(told, "tony_tasks{role=\"worker\",state=\"allocated\"}", "0");
    assertTold(told, "tony_job_queue_wait_seconds", "9");
    assertTold(told, "tony_job_time_seconds{part=\"training\"}", "13");
    assertTold(told, "tony_job_goodput_ratio", Double.toString(13.0 / 23));
    assertTold(told, "tony_job_progress_ratio", "0.5");
    assertTold(told, "tony_event_log_behind", "0");
    assertTold(told, "tony_gang_restarts_total", "0");
    assertTold(told, "tony_task_failures_total{kind=\"MEMORY\"}", "0");
    assertFalse("no program told what it uses", told.containsKey("tony_task_memory_bytes"));
  }

  @Test
  public void shouldTellHowLongAJobWaitsWhileItDoes() {
    tell(
        new WrittenLog()
            .at(0)
            .master(1, 2)
            .requested(2, "worker")
            .at(1)
            .allocated("worker:0", "n"));
    assertTold(samples(7200), "tony_job_queue_wait_seconds", "7200");
    assertTold(samples(7200), "tony_job_phase{phase=\"allocating\"}", "1");
    assertTold(samples(7200), "tony_tasks{role=\"worker\",state=\"allocated\"}", "1");
  }

  @Test
  public void shouldCountRestartsAndFailures() {
    tell(
        WrittenLog.plain()
            .at(12)
            .failed("worker:1", "boom")
            .taskRestarted("worker:1", 1, true, true)
            .at(13)
            .started("worker:1")
            .succeeded("worker:0")
            .at(14)
            .failed("worker:1", "boom")
            .gangRestarted("worker:1", 2, "boom"));
    Map<String, String> told = samples(20);
    assertTold(told, "tony_task_failures_total{kind=\"PROGRAM\"}", "2");
    assertTold(told, "tony_task_restarts_total{role=\"worker\"}", "1");
    assertTold(told, "tony_gang_restarts_total", "1");
    assertTold(told, "tony_tasks{role=\"worker\",state=\"waiting\"}", "2");
  }

  @Test
  public void shouldKeepTheTasksThatHaveDoneTheirPart() {
    tell(WrittenLog.plain().succeeded("worker:0").gangRestarted("worker:1", 1, "boom", "worker"));
    assertTold(samples(20), "tony_tasks{role=\"worker\",state=\"succeeded\"}", "1");
    assertTold(samples(20), "tony_tasks{role=\"worker\",state=\"waiting\"}", "1");
  }

  @Test
  public void shouldGiveBackTheContainersOfAGangThatBacksOff() {
    tell(new WrittenLog().at(0).master(1, 2).requested(2, "worker").allocated("worker:0", "n"));
    tell(new GangFact.BackedOff(new GangFact.Shortage("1 × worker", "", "memory"), "1000 ms"));
    assertTold(samples(20), "tony_tasks{role=\"worker\",state=\"waiting\"}", "1");
    assertTold(samples(20), "tony_tasks{role=\"worker\",state=\"allocated\"}", "0");
    assertTold(samples(20), "tony_job_phase{phase=\"backing_off\"}", "1");
  }

  @Test
  public void shouldTellWhatTheTasksUseInBaseUnits() {
    tell(WrittenLog.plain());
    tell(
        new JobFact.UsageReport(
            Map.of(
                "worker:0", "100 0.50 20 1024",
                "worker:1", "300 1.50 40 2048",
                "worker:2", "200 1.00 30 1024",
                "ps min", "1 0.1",
                "ps median", "2 0.2",
                "ps max", "3 0.3",
                "broken:0", "much")));
    Map<String, String> told = samples(20);
    assertTold(told, "tony_task_memory_bytes{role=\"worker\",stat=\"min\"}", "104857600");
    assertTold(told, "tony_task_memory_bytes{role=\"worker\",stat=\"median\"}", "209715200");
    assertTold(told, "tony_task_memory_bytes{role=\"worker\",stat=\"max\"}", "314572800");
    assertTold(told, "tony_task_memory_bytes{role=\"ps\",stat=\"max\"}", "3145728");
    assertTold(told, "tony_task_cpu_cores{role=\"worker\",stat=\"max\"}", "1.5");
    assertTold(told, "tony_task_gpu_busy_ratio{role=\"worker\",stat=\"median\"}", "0.3");
    assertTold(told, "tony_task_gpu_memory_bytes{role=\"worker\",stat=\"max\"}", "2147483648");
    assertFalse(told.keySet().toString(), told.keySet().toString().contains("broken"));
    assertFalse(told.containsKey("tony_task_gpu_busy_ratio{role=\"ps\",stat=\"max\"}"));

    tell(new WrittenLog().at(16).stopping());
    assertFalse(
        "what has ended uses nothing", samples(20).keySet().toString().contains("memory_bytes"));
  }

  @Test
  public void shouldTellWhetherTheLogIsBehind() {
    tell(WrittenLog.plain());
    tell(new JobFact.LogBehind("a quota"));
    assertTold(samples(20), "tony_event_log_behind", "1");
    tell(new JobFact.LogCaughtUp());
    assertTold(samples(20), "tony_event_log_behind", "0");
  }

  @Test
  public void shouldStandStillWhenTheJobHasEnded() {
    tell(WrittenLog.whole());
    assertEquals(text(31), text(7200));
  }

  @Test
  public void shouldTellSomethingBeforeTheFirstEvent() {
    assertTold(samples(20), "tony_job_tasks", "0");
    assertFalse(text(20), text(20).contains("tony_job_phase"));
  }

  @Test
  public void shouldCountWhatMakesNoSense() {
    tell(WrittenLog.plain());
    metrics.add(
        new JobEvent(
            WrittenLog.second(15),
            JobEvent.Type.TASK_FAILED,
            0,
            new TaskId("worker", 0),
            Map.of("kind", "BLUE")));
    metrics.skipLine();
    assertTold(samples(20), "tony_event_lines_passed_over_total", "2");
    assertTold(samples(20), "tony_tasks{role=\"worker\",state=\"running\"}", "2");
  }

  /** A Prometheus server keeps each series for weeks. */
  @Test
  public void shouldStaySmallHoweverManyTasksAndRolesThereAre() {
    WrittenLog log = new WrittenLog().at(0).master(1, 10_000);
    Map<String, String> uses = new LinkedHashMap<>();
    for (int i = 0; i < 10_000; i++) {
      String role = "role" + i % 100;
      log.allocated(role + ":" + i / 100, "node-" + i);
      uses.put(role + ":" + i / 100, "812 0.97 43 2048");
    }
    log.fact(new JobFact.UsageReport(uses));
    tell(log);
    String text = text(20);
    assertTrue(text.length() + " characters", text.length() < 100_000);
    assertTold(samples(20), "tony_tasks{role=\"role49\",state=\"allocated\"}", "100");
    assertFalse(text.contains("role50"));
  }

  @Test
  public void shouldTellEveryMetricThatIsDeclared() {
    tell(WrittenLog.plain());
    tell(new JobFact.UsageReport(Map.of("worker:0", "100 0.50 20 1024")));
    tell(
        new TaskFact.Restarted(
            new TaskId("worker", 0),
            FailureKind.LOST,
            "lost",
            1,
            1,
            true,
            true,
            RetryBudgetOwner.ROLE,
            false,
            "node",
            null));
    Set<String> told =
        samples(20).keySet().stream()
            .map(name -> name.replaceFirst("\\{.*", ""))
            .collect(Collectors.toSet());
    List<String> declared =
        Arrays.stream(JobMetric.values()).map(one -> one.metric().name()).toList();
    assertEquals(Set.copyOf(declared), told);
    assertEquals("each name once", declared.size(), told.size());
  }

  @Test
  public void shouldCountTheTasksThatThereAre() {
    tell(
        new WrittenLog()
            .at(0)
            .master(1, 4)
            .requested(4, "worker")
            .at(1)
            .allocated("worker:0", "n")
            .allocated("worker:3", "n")
            .registered("worker:0")
            .registered("worker:3")
            .at(2)
            .fact(new ResizeFact.Resized("worker", 4, 2, 1, Map.of(3, 1), "YARN gives no more")));
    Map<String, String> told = samples(7200);
    assertTold(told, "tony_job_tasks", "2");
    assertTold(told, "tony_tasks{role=\"worker\",state=\"registered\"}", "1");
    assertTold(told, "tony_tasks{role=\"worker\",state=\"allocated\"}", "1");
    assertTold(told, "tony_job_phase{phase=\"launching\"}", "1");

    tell(new ResizeFact.Resized("worker", 2, 4, 2, Map.of(), "the queue has room"));
    assertTold(samples(7200), "tony_job_tasks", "4");
    assertFalse(text(7200), text(7200).contains("RESIZED"));
  }
}
