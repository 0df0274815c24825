package io.tony.azkaban4;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.mini.MiniClusterProcess.Application;
import java.util.Set;
import org.junit.Test;

/** A step from its upload to its end: what is seen of it in Azkaban and in YARN. */
public final class StepIT extends Azkaban4Test {

  @Test
  public void shouldTrainAndHandItsOutputsToTheNextStep() throws Exception {
    files()
        .job("train", tony(ONE_WORKER, "executes=echo auc=0.91 > $TONY_OUTPUT_FILE"))
        .job(
            "report",
            "type=command",
            "dependencies=train",
            "command=echo ${tony.application.id} has ${tony.output.auc}, ${tony.final.status}");

    Execution execution = execute("report");

    execution.assertEnds("SUCCEEDED");
    String id = execution.application("train");
    String tracking = cluster().property("resourcemanager.http") + "/proxy/" + id + "/";
    execution.assertLogged("train", id + " submitted to queue default: " + tracking + "\n");
    execution.assertLogged("train", "1/1 tasks allocated: worker:0 on localhost, log http://");
    execution.assertLogged("train", "1/1 tasks running\n");
    execution.assertLogged("train", ": 1 of 1 task succeeded\n");
    execution.assertLogged("report", id + " has 0.91, SUCCEEDED");
    Application application = cluster().application(id);
    assertEquals("SUCCEEDED", application.finalStatus());
    assertEquals("TONY", application.type());
    assertEquals("train", application.name());
    assertEquals(cluster().property("user"), application.user());
  }

  /** Azkaban's own tools find an application by the tags of its Hadoop job types. */
  @Test
  public void shouldBeFoundByItsTags() throws Exception {
    files().job("tagged", tony(ONE_WORKER, "tony.application.tags=team-ads", "executes=true"));

    Execution execution = execute("tagged");

    execution.assertEnds("SUCCEEDED");
    Set<String> tags = application(execution, "tagged").tags();
    String project = "shouldbefoundbyitstags"; // YARN keeps tags in lower case
    Set<String> expected =
        Set.of(
            "team-ads",
            "azkaban.flow.execid:" + execution.id(),
            "azkaban.flow.flowid:tagged",
            "azkaban.job.id:tagged",
            "azkaban.job.attempt:0",
            "workflowid:" + project + "$tagged");
    assertTrue(tags + " lack some of " + expected, tags.containsAll(expected));
  }
}
