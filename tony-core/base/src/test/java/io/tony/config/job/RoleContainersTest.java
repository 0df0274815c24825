package io.tony.config.job;

import static io.tony.config.job.JobSpecReaderTest.config;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import io.tony.config.TonyConfig;
import io.tony.model.DockerSpec;
import io.tony.model.MemoryGrowth;
import io.tony.model.Placement;
import io.tony.model.ResourceSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.Test;

/** What the options say of the containers of a role named worker. */
public class RoleContainersTest {
  private final Problems problems = new Problems();

  private RoleContainers worker(String... keysAndValues) {
    List<String> all = new ArrayList<>(List.of("tony.worker.instances", "1"));
    all.addAll(List.of(keysAndValues));
    TonyConfig config = config(all.toArray(String[]::new));
    return new RoleContainers(CheckedValues.check(config, problems), problems);
  }

  private ResourceSpec resource(String... keysAndValues) {
    return worker(keysAndValues).resource("worker");
  }

  private Placement placement(String... keysAndValues) {
    return worker(keysAndValues).placement("worker");
  }

  private DockerSpec docker(String... keysAndValues) {
    return worker(keysAndValues).docker("worker", 1);
  }

  @Test
  public void shouldAskForAnyResourceOfTheCluster() {
    assertEquals(
        new ResourceSpec(
            2048, 1, new TreeMap<>(Map.of("yarn.io/fpga", 2L, "yarn.io/gpu", 1L, "licence", 3L))),
        resource(
            "tony.worker.resource-types", "yarn.io/fpga=2, licence=3,unused=0",
            "tony.worker.gpus", "1"));
    resource("tony.worker.resource-types", "yarn.io/gpu=1", "tony.worker.gpus", "1");
    assertEquals(List.of(), problems.errors());
  }

  @Test
  public void shouldGrowOnlyWhereThatIsWanted() {
    assertEquals(MemoryGrowth.NONE, worker().growth("worker"));
    assertEquals(
        new MemoryGrowth(1.5, 4096),
        worker("tony.worker.memory-growth", "1.5", "tony.worker.max-memory", "4g")
            .growth("worker"));
    assertEquals(List.of(), problems.errors());
  }

  @Test
  public void shouldRefuseGrowthThatMakesNoSense() {
    worker("tony.worker.memory-growth", "150").growth("worker");
    worker("tony.worker.max-memory", "1g").growth("worker");
    worker("tony.worker.memory-growth", "0.5").growth("worker");

    List<String> errors = problems.errors();
    assertEquals(errors.toString(), 3, errors.size());
    assertEquals(
        "tony.worker.memory-growth=150 (job) is more than 10: write how many times as large the"
            + " next container is, such as 1.5",
        errors.get(0));
    assertEquals(
        "tony.worker.max-memory=1g (job) is less than the 2048 MiB of tony.worker.memory, which may"
            + " grow up to it: raise it",
        errors.get(1));
    assertTrue(errors.get(2), errors.get(2).startsWith("tony.worker.memory-growth=0.5 (job)"));
  }

  @Test
  public void shouldRefuseAmountsThatAreNone() {
    resource("tony.worker.resource-types", "a=2G,b=-1,vcores=2,memory-mb=1");
    resource("tony.worker.resource-types", "yarn.io/gpu=2", "tony.worker.gpus", "1");

    String where = "tony.worker.resource-types=a=2G,b=-1,vcores=2,memory-mb=1 (job)";
    assertEquals(
        List.of(
            where + " asks for '2G' of a: write a whole number of YARN's unit for it, such as a=1",
            where + " asks for '-1' of b: write a whole number of YARN's unit for it, such as b=1",
            where + " holds vcores: set tony.worker.vcores instead",
            where + " holds memory-mb: set tony.worker.memory instead",
            "tony.worker.resource-types=yarn.io/gpu=2 (job) asks for another number of yarn.io/gpu"
                + " than tony.worker.gpus=1: set one of the two"),
        problems.errors());
  }

  @Test
  public void shouldPreferTheRolesOwnPlacement() {
    String[] forAll = {
      "tony.application.node-label", "all",
      "tony.containers.placement-spec", "in,rack,a",
      "tony.containers.allocation-tags", "a,b"
    };
    assertEquals(new Placement("all", "in,rack,a", Set.of("a", "b")), placement(forAll));

    List<String> own = new ArrayList<>(List.of(forAll));
    own.addAll(
        List.of(
            "tony.worker.node-label", " own ",
            "tony.worker.placement-spec", "notin,node,c",
            "tony.worker.allocation-tags", "c"));
    assertEquals(
        new Placement("own", "notin,node,c", Set.of("c")), placement(own.toArray(String[]::new)));
    assertEquals(Placement.ANYWHERE, placement("tony.worker.node-label", ""));
    assertEquals(List.of(), problems.errors());
  }

  @Test
  public void shouldHoldTheApplicationsConstraintForEveryRole() {
    assertEquals(
        new Placement("", "notin,node,worker", Set.of()),
        placement("tony.application.placement-spec", "notin,node,worker"));
  }

  @Test
  public void shouldJoinTheApplicationsConstraintWithTheRolesOwn() {
    assertEquals(
        new Placement("", "and(notin,node,a:in,rack,b)", Set.of("t", "u")),
        placement(
            "tony.application.placement-spec", "notin,node,a",
            "tony.worker.placement-spec", "in,rack,b",
            "tony.worker.allocation-tags", "t,u"));
  }

  @Test
  public void shouldRefuseTagsThatYarnWouldNotFind() {
    placement("tony.worker.allocation-tags", "good,not good");

    assertEquals(
        List.of(
            "tony.worker.allocation-tags=good,not good (job) holds the tag 'not good': write"
                + " letters, digits, '.', '_' and '-' only"),
        problems.errors());
  }

  @Test
  public void shouldReadTheImageAndTheMounts() {
    assertNull(docker("tony.docker.worker.image", "ignored"));
    assertEquals(
        new DockerSpec("hub:5000/ml/torch:2.3", List.of("/data:/data:ro", "/tmp/x:/x:rw")),
        docker(
            "tony.docker.enabled", "true",
            "tony.docker.containers.image", "other",
            "tony.docker.worker.image", "hub:5000/ml/torch:2.3",
            "tony.docker.containers.mount", "/data:/data:ro, /tmp/x:/x:rw"));
    assertEquals(
        new DockerSpec("other", List.of()),
        docker("tony.docker.enabled", "true", "tony.docker.containers.image", "other"));
    assertEquals(List.of(), problems.errors());
  }

  @Test
  public void shouldRefuseWhatNeitherDockerNorAShellTakesAsItIs() {
    for (String image : List.of("Torch", "torch;id", "a b", "$(id)", "torch:2:3", "-")) {
      docker("tony.docker.enabled", "true", "tony.docker.worker.image", image);
    }
    int images = problems.errors().size();
    for (String mount : List.of("/a", "/a:b:rw", "/a:/b:wr", "/$x:/b:ro", "/a`id`:/b", "/a:/\"b")) {
      docker(
          "tony.docker.enabled", "true",
          "tony.docker.worker.image", "torch",
          "tony.docker.containers.mount", mount);
    }
    assertEquals(
        "tony.docker.worker.image=Torch (job) is not the name of an image: write"
            + " [HOST[:PORT]/]NAME[:TAG], such as registry.example.com/ml/pytorch:2.3",
        problems.errors().get(0));
    assertEquals(problems.toString(), 5, images);
    assertEquals(problems.toString(), 5 + 6, problems.errors().size());
  }

  @Test
  public void shouldWantAnImageForEveryRoleThatRuns() {
    docker("tony.docker.enabled", "true");
    worker("tony.docker.enabled", "true", "tony.ps.instances", "0").docker("ps", 0);

    assertEquals(
        List.of(
            "tony.docker.enabled=true (job), and role worker has no image: set"
                + " tony.docker.worker.image or tony.docker.containers.image"),
        problems.errors());
  }
}
