package io.tony.azkaban.mini;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import azkaban.executor.Status;
import io.tony.mini.MiniClusterProcess.Application;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.BeforeClass;
import org.junit.Test;

/** The sample flow {@code spark-then-train} with a real Spark: what it wrote, XGBoost learns. */
public class FrameworkSparkIT extends ClusterFlowTest {

  private static final String FLOW = "spark-then-train";

  @BeforeClass
  public static void makeEnvironment() throws Exception {
    FrameworkEnvironments.require(FLOW);
  }

  @Test
  public void shouldTrainOnWhatSparkWroteAndPublishTheModel() throws Exception {
    FlowResult result = start(flow()).await();

    assertEquals(
        String.join("\n", log("prepare"), log("train"), log("evaluate"), log("publish")),
        Status.SUCCEEDED,
        result.status());
    Application spark = application("prepare");
    Application training = application("train");
    Application evaluation = application("evaluate");
    assertEquals("SPARK", spark.type());
    assertEquals("TONY", training.type());
    assertEquals("TONY", evaluation.type());
    for (Application application : List.of(spark, training, evaluation)) {
      assertEquals("SUCCEEDED", application.finalStatus());
    }
    assertTrue(spark.id() + training.id(), spark.id().compareTo(training.id()) < 0);
    assertTrue(training.id() + evaluation.id(), training.id().compareTo(evaluation.id()) < 0);

    assertHdfsHas("_SUCCESS", data() + "/machines");
    assertHdfsHas("part-.*\\.parquet", data() + "/machines/split=train");
    assertHdfsHas("part-.*\\.parquet", data() + "/machines/split=test");
    String model = result.executionId() + ".json";
    assertEquals(List.of(model), cluster().hdfsNames(data() + "/published"));
    assertTrue(cluster().hdfsText(data() + "/published/" + model).contains("binary:logistic"));
    assertEquals("moved", List.of(), cluster().hdfsNames(data() + "/candidates"));
    Map<String, String> outputs = result.job("evaluate").outputProperties();
    double accuracy = Double.parseDouble(outputs.get("tony.output.accuracy"));
    assertTrue("accuracy " + accuracy, accuracy > 0.9);
  }

  private FlowRequest.Builder flow() throws Exception {
    String python = FrameworkEnvironments.python(FLOW);
    Path environment = Path.of(python).getParent().getParent();
    return sample(FLOW)
        .property("python", python)
        .property("hadoop.conf", cluster().property("conf"))
        .property("spark.submit", environment.resolve("bin/spark-submit").toString())
        // Spark is on every node already; else it would be uploaded for each application.
        .property(
            "spark.options",
            "--conf spark.yarn.jars=local:"
                + environment.resolve("lib/python3.11/site-packages/pyspark/jars/*"));
  }

  private String data() {
    return "/tmp/" + root().getFileName();
  }

  private static void assertHdfsHas(String pattern, String folder) throws Exception {
    List<String> names = cluster().hdfsNames(folder);
    assertTrue(folder + ": " + names, names.stream().anyMatch(name -> name.matches(pattern)));
  }
}
