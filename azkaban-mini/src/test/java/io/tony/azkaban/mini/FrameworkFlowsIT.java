package io.tony.azkaban.mini;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import azkaban.executor.Status;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;

/**
 * Every framework's sample flow trains with the real package. The programs fail unless their
 * workers really worked together; what they learned they tell the flow.
 */
@RunWith(Parameterized.class)
public class FrameworkFlowsIT extends ClusterFlowTest {

  /** A job of a sample flow, and what it must tell: outputs with their values. */
  private record Told(String job, Map<String, String> outputs) {}

  private static final Map<String, List<Told>> FLOWS =
      Map.of(
          "generic",
          List.of(new Told("train", Map.of("world", "3"))),
          "horovod",
          List.of(new Told("train", Map.of("world", "2"))),
          "jax",
          List.of(new Told("train", Map.of("world", "2"))),
          "lightgbm",
          List.of(new Told("train", Map.of("world", "2", "rows", "1437"))),
          "mpi",
          List.of(new Told("train", Map.of("world", "3"))),
          "mxnet",
          List.of(new Told("train", Map.of("world", "2"))),
          "pytorch",
          List.of(
              new Told("train", Map.of("world", "2", "first_step", "0")),
              new Told("torchrun", Map.of("world", "4", "first_step", "0"))),
          "ray",
          List.of(new Told("train", Map.of("world", "2"))),
          "tensorflow",
          List.of(
              new Told("train", Map.of("replicas", "2", "first_step", "0")),
              new Told("parameter-server", Map.of("steps", "300"))),
          "xgboost",
          List.of(new Told("train", Map.of("world", "2", "first_step", "0"))));

  /** By the classes that {@code frameworks/due} names. */
  private static final List<String> TESTED_ELSEWHERE =
      List.of("callbacks", "data", "environments", "guide", "jupyter", "spark-then-train");

  @Parameterized.Parameter public String framework;

  @Parameterized.Parameters(name = "{0}")
  public static List<String> frameworks() throws Exception {
    Set<String> all = new TreeSet<>(FrameworkEnvironments.all());
    all.removeAll(TESTED_ELSEWHERE);
    all.removeIf(name -> name.startsWith(FrameworkEnvironments.RECIPES)); // FrameworkRecipesIT
    assertEquals("frameworks/due names each of them", FLOWS.keySet(), all);
    List<String> chosen = FrameworkEnvironments.chosen();
    return FLOWS.keySet().stream().filter(chosen::contains).sorted().toList();
  }

  /** Not within a test's time limit: the first run on a machine takes minutes. */
  @Parameterized.BeforeParam
  public static void makeEnvironment(String framework) throws Exception {
    FrameworkEnvironments.python(framework);
  }

  @Test
  public void shouldTrain() throws Exception {
    FlowResult result =
        FlowEngine.run(
            sample(framework)
                .property("python", FrameworkEnvironments.python(framework))
                .property("checkpoint.dir", root().resolve("checkpoints").toString())
                .build());

    for (Told told : FLOWS.get(framework)) {
      assertEquals(log(told.job()), Status.SUCCEEDED, result.job(told.job()).status());
      Map<String, String> outputs = result.job(told.job()).outputProperties();
      told.outputs()
          .forEach(
              (name, value) ->
                  assertEquals(outputs.toString(), value, outputs.get("tony.output." + name)));
    }
    assertEquals(Status.SUCCEEDED, result.status());
    if (!framework.equals("generic")) {
      String accuracy = result.job("train").outputProperties().get("tony.output.accuracy");
      assertTrue("accuracy " + accuracy, Double.parseDouble(accuracy) > 0.9);
    }
  }
}
