package io.tony.container;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.tony.model.Placement;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.yarn.api.resource.PlacementConstraint;
import org.apache.hadoop.yarn.api.resource.PlacementConstraints;
import org.apache.hadoop.yarn.api.resource.PlacementConstraints.PlacementTargets;
import org.junit.Test;

public class PlacementSpecTest {
  private static Optional<PlacementConstraint> of(String label, String constraint) {
    return PlacementSpec.of(new Placement(label, constraint, Set.of("worker")), "all");
  }

  @Test
  public void shouldReadTheLanguageOfYarnsDocument() {
    assertEquals(
        PlacementConstraints.targetNotIn("node", PlacementTargets.allocationTag("ps")).build(),
        PlacementSpec.parse("notin,node,ps"));
    assertEquals(
        PlacementConstraints.targetCardinality(
                "rack", 1, 3, PlacementTargets.allocationTag("worker"))
            .build(),
        PlacementSpec.parse("cardinality,rack,worker,1,3"));
    for (String text :
        List.of(
            "in,rack,ps",
            "AND(notin,node,ps:in,rack,ps)",
            "or(in,node,a:cardinality,node,b,0,2)",
            "notin,node,all/hbase",
            "and(and(in,rack,a:notin,node,b):or(in,node,c:in,rack,d))",
            "java=17",
            "rm.yarn.io/disk!=slow")) {
      PlacementSpec.parse(text);
    }
  }

  @Test
  public void shouldRefuseWhatYarnCannotRead() {
    for (String text :
        List.of(
            "zk,node,notin",
            "notin",
            "notin,node",
            "notin,host,ps",
            "notin,node,nowhere/ps",
            "cardinality,node,ps",
            "cardinality,node,0,1",
            "worker(3),notin,node,worker",
            "and(notin,node)",
            "and()",
            "",
            ",")) {
      assertThrows(text, IllegalArgumentException.class, () -> PlacementSpec.parse(text));
    }
  }

  @Test
  public void shouldPutANodeLabelIntoTheConstraint() {
    assertEquals(Optional.empty(), of("", ""));
    assertEquals(
        PlacementConstraints.targetIn("node", PlacementTargets.nodePartition("fast")).build(),
        of("fast", "").orElseThrow());
    assertEquals(
        PlacementConstraints.targetNotIn(
                "node",
                PlacementTargets.allocationTag("ps"),
                PlacementTargets.nodePartition("fast"))
            .build(),
        of("fast", "notin,node,ps").orElseThrow());
  }

  @Test
  public void shouldRefuseALabelWhereYarnWouldNotSeeIt() {
    IllegalArgumentException e =
        assertThrows(
            IllegalArgumentException.class, () -> of("fast", "and(in,node,a:notin,node,b)"));
    assertTrue(e.getMessage(), e.getMessage().startsWith("YARN takes no node label (fast)"));
    assertEquals(
        PlacementSpec.parse("and(in,node,a:notin,node,b)"),
        of("all", "and(in,node,a:notin,node,b)").orElseThrow());
  }
}
