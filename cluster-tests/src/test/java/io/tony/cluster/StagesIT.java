package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.model.JobEvent;
import io.tony.testing.TonyCommand;
import java.util.List;
import org.junit.Test;

/** Roles that start one after the other, and what decides the end, on a real cluster. */
public class StagesIT extends ClusterTest {

  private static List<String> order(String application, JobEvent.Type... types)
      throws java.io.IOException {
    List<JobEvent.Type> wanted = List.of(types);
    return events(application).stream()
        .filter(event -> wanted.contains(event.type()))
        .map(event -> event.type() + " " + subject(event))
        .toList();
  }

  private static String subject(JobEvent event) {
    return event.task() == null ? event.detail("roles") : event.task().toString();
  }

  @Test
  public void shouldHandWhatAPreprocessingPrintsOnToTheTasks() throws Exception {
    String program =
        "if [ \"$PREPROCESSING_JOB\" = true ]; then echo 'Model parameters: --depth 3';"
            + " else echo params=$MODEL_PARAMS >> $TONY_OUTPUT_FILE; fi";
    try (TonyCommand tony =
        submit(
            "-executes", program,
            "-conf", "tony.worker.instances=1",
            "-conf", "tony.application.enable-preprocess=true")) {
      tony.assertExit(0);
      String application = tony.application();
      assertEquals(
          List.of(
              "TASK_STARTED preprocess:0",
              "TASK_SUCCEEDED preprocess:0",
              "TASK_STARTED worker:0",
              "TASK_SUCCEEDED worker:0"),
          order(application, JobEvent.Type.TASK_STARTED, JobEvent.Type.TASK_SUCCEEDED));
      JobEvent worker = events(application, JobEvent.Type.TASK_SUCCEEDED).get(1);
      assertEquals("--depth 3", worker.detail("output.params"));
    }
  }

  @Test
  public void shouldAskForTheTrainingStageWhenThePrepareStageHasEnded() throws Exception {
    try (TonyCommand tony =
        submit(
            "-conf", "tony.prep.instances=1",
            "-conf", "tony.prep.memory=128m",
            "-conf", "tony.prep.command=echo ready > shared",
            "-conf", "tony.worker.instances=2",
            "-conf", "tony.application.cluster-spec-file=true",
            "-conf",
                "tony.worker.command=test \"$CLUSTER_SPEC\" = \"$(cat $TONY_CLUSTER_SPEC_FILE)\""
                    + " && echo \"spec=$CLUSTER_SPEC\" >> $TONY_OUTPUT_FILE",
            "-conf", "tony.application.prepare-stage=prep")) {
      tony.assertExit(0);
      List<JobEvent> requests = events(tony.application(), JobEvent.Type.GANG_REQUESTED);
      assertEquals(
          List.of("prep", "worker"),
          requests.stream().map(event -> event.detail("roles")).toList());
      String seen =
          events(tony.application(), JobEvent.Type.TASK_SUCCEEDED).get(2).detail("output.spec");
      assertTrue(seen, seen.contains("worker") && !seen.contains("prep"));
    }
  }

  /** The second of three roles fails once: what the first has done stays done. */
  @Test
  public void shouldAskForARoleWhenThoseHaveSucceededThatItDependsOn() throws Exception {
    try (TonyCommand tony =
        submit(
            "-conf", "tony.etl.instances=1",
            "-conf", "tony.etl.memory=128m",
            "-conf", "tony.etl.command=true",
            "-conf", "tony.worker.instances=1",
            "-conf", "tony.worker.command=test $TONY_ATTEMPT = 1",
            "-conf", "tony.worker.depends-on=etl",
            "-conf", "tony.report.instances=1",
            "-conf", "tony.report.memory=128m",
            "-conf", "tony.report.command=true",
            "-conf", "tony.report.depends-on=etl,worker",
            "-conf", "tony.gang.max-restarts=1")) {
      tony.assertExit(0);
      assertEquals(
          List.of(
              "GANG_REQUESTED etl",
              "TASK_SUCCEEDED etl:0",
              "GANG_REQUESTED worker",
              "TASK_FAILED worker:0",
              "GANG_RESTARTED worker:0",
              "TASK_SUCCEEDED worker:0",
              "GANG_REQUESTED report",
              "TASK_SUCCEEDED report:0"),
          order(
              tony.application(),
              JobEvent.Type.GANG_REQUESTED,
              JobEvent.Type.TASK_SUCCEEDED,
              JobEvent.Type.TASK_FAILED,
              JobEvent.Type.GANG_RESTARTED));
      assertEquals(3, events(tony.application(), JobEvent.Type.TASK_ALLOCATED).size());
    }
  }

  /** The cluster holds two of the three: a gang of them would wait for ever. */
  @Test
  public void shouldStartEachTaskWhenItsContainerComesWhereTheyNeedNotMeet() throws Exception {
    try (TonyCommand tony =
        submit(
            "-executes", "echo \"seen=$DISTRIBUTED_MODE$CLUSTER_SPEC\" >> $TONY_OUTPUT_FILE",
            "-conf", "tony.worker.instances=3",
            "-conf", "tony.worker.memory=3g",
            "-conf", "tony.application.distributed-mode=FCFS")) {
      tony.assertExit(0);
      String application = tony.application();
      List<JobEvent.Type> order =
          events(application).stream()
              .map(JobEvent::type)
              .filter(
                  type ->
                      type == JobEvent.Type.TASK_ALLOCATED || type == JobEvent.Type.TASK_SUCCEEDED)
              .toList();
      assertEquals(order.toString(), 6, order.size());
      assertTrue(
          order.toString(),
          order.indexOf(JobEvent.Type.TASK_SUCCEEDED)
              < order.lastIndexOf(JobEvent.Type.TASK_ALLOCATED));
      assertEquals(List.of(), events(application, JobEvent.Type.GANG_BACKED_OFF));
      for (JobEvent end : events(application, JobEvent.Type.TASK_SUCCEEDED)) {
        assertEquals("FCFS", end.detail("output.seen")); // and no cluster
      }
    }
  }

  @Test
  public void shouldRunAJobWithoutRolesAsOneTask() throws Exception {
    try (TonyCommand tony =
        submit(
            "-executes", "echo index=$TASK_INDEX >> $TONY_OUTPUT_FILE",
            "-conf", "tony.worker.instances=0",
            "-conf", "tony.ps.instances=0")) {
      tony.assertExit(0);
      List<JobEvent> ends = events(tony.application(), JobEvent.Type.TASK_SUCCEEDED);
      assertEquals(1, ends.size());
      assertEquals("0", ends.get(0).detail("output.index"));
    }
  }

  @Test
  public void shouldGoOnWithoutARoleThatOutlivesItsGroup() throws Exception {
    try (TonyCommand tony =
        submit(
            "-conf", "tony.worker.instances=1",
            "-conf", "tony.worker.command=true",
            "-conf", "tony.evaluator.instances=1",
            "-conf", "tony.evaluator.memory=128m",
            "-conf", "tony.evaluator.command=sleep 5151",
            "-conf", "tony.application.group.training=worker",
            "-conf", "tony.application.dependency.evaluator.timeout.after.training=1",
            "-conf", "tony.application.dependency.evaluator.timeout.after.training.ignored=true")) {
      tony.assertExit(0);
      assertEquals(1, events(tony.application(), JobEvent.Type.ROLE_EXCUSED).size());
      assertEquals(List.of(), processes("sleep 5151"));
    }
  }

  @Test
  public void shouldFailWhenARoleOutlivesItsGroupTooLong() throws Exception {
    try (TonyCommand tony =
        submit(
            "-conf", "tony.worker.instances=1",
            "-conf", "tony.worker.command=true",
            "-conf", "tony.evaluator.instances=1",
            "-conf", "tony.evaluator.memory=128m",
            "-conf", "tony.evaluator.command=sleep 5252",
            "-conf", "tony.application.group.training=worker",
            "-conf", "tony.application.dependency.evaluator.timeout.after.training=1")) {
      tony.assertExit(5);
      assertTrue(
          tony.text(),
          tony.text().contains("(tony.application.dependency.evaluator.timeout.after.training)"));
      assertEquals(List.of(), processes("sleep 5252"));
    }
  }

  @Test
  public void shouldSucceedWithItsChief() throws Exception {
    try (TonyCommand tony =
        submit(
            "-executes", "[ $TASK_INDEX = 0 ] || sleep 5353",
            "-conf", "tony.worker.instances=2",
            "-conf", "tony.application.success-policy=chief")) {
      tony.assertExit(0);
      assertTrue(tony.text(), tony.text().contains("the chief, worker:0, succeeded"));
      assertEquals(List.of(), processes("sleep 5353"));
    }
  }
}
