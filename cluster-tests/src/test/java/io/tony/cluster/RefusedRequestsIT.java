package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.model.JobEvent;
import io.tony.testing.TonyCommand;
import java.util.List;
import org.junit.Test;

/**
 * What this cluster, like any with YARN's defaults, does not do: node labels and placement
 * constraints. Only YARN knows of the latter, so that the job learns it when it asks.
 */
public class RefusedRequestsIT extends ClusterTest {

  private void refusedByYarn(String option) throws Exception {
    try (TonyCommand tony =
        submit("-executes", "sleep 4953", "-conf", "tony.worker.instances=2", "-conf", option)) {
      tony.assertExit(2);
      assertTrue(
          tony.text(),
          tony.text()
              .contains("YARN refuses what the job asks for: Found non empty SchedulingRequest"));
      assertTrue(
          tony.text(), tony.text().contains("yarn.resourcemanager.placement-constraints.handler"));
      JobEvent end = events(tony.application(), JobEvent.Type.JOB_FINISHED).get(0);
      assertEquals("INVALID", end.detail("kind"));
      assertEquals(List.of(), events(tony.application(), JobEvent.Type.TASK_ALLOCATED));
    }
  }

  @Test
  public void shouldPassOnWhyYarnRefusesARolesConstraint() throws Exception {
    refusedByYarn("tony.worker.placement-spec=notin,node,worker");
  }

  @Test
  public void shouldPassOnWhyYarnRefusesAnApplicationsConstraint() throws Exception {
    refusedByYarn("tony.application.placement-spec=notin,node,worker");
  }

  @Test
  public void shouldRefuseALabelOnAClusterWithoutLabels() throws Exception {
    int before = applications();
    try (TonyCommand tony =
        submit(
            "-executes", "true",
            "-conf", "tony.worker.instances=1",
            "-conf", "tony.application.node-label=gpu")) {
      tony.assertExit(2);
      assertTrue(
          tony.text(),
          tony.text()
              .contains(
                  "tony.application.node-label is gpu; the cluster has no node labels: remove it"));
    }
    assertEquals(before, applications());
  }
}
