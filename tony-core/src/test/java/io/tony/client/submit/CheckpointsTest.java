package io.tony.client.submit;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertTrue;

import io.tony.config.TonyConfig;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.junit.Test;

/** Which jobs have their checkpoints in one folder. */
public class CheckpointsTest {
  private final Map<String, String> values =
      new TreeMap<>(
          Map.of(
              "tony.azkaban.project", "recommender",
              "tony.azkaban.flow", "nightly",
              "tony.azkaban.job", "train",
              "tony.azkaban.execution", "17"));

  private String folder(String application) throws IOException {
    return Checkpoints.folder(
        FileSystem.getLocal(new Configuration()),
        TonyConfig.builder().layer("test", values).build(),
        application);
  }

  @Test
  public void shouldBeOneForAllAttemptsOfAnExecution() throws IOException {
    String first = folder("application_1_0001");

    assertEquals(first, folder("application_1_0002"));
    assertTrue(first, first.contains("/.tony/checkpoints/recommender.nightly.17.train-"));
    values.put("tony.azkaban.execution", "18");
    assertNotEquals(first, folder("application_1_0002"));
  }

  @Test
  public void shouldBeOneForAllExecutionsOfAStepWhereThatIsWanted() throws IOException {
    values.put("tony.checkpoint.scope", "step");
    String first = folder("application_1_0001");

    assertTrue(first, first.contains("/.tony/checkpoints/recommender.nightly.train-"));
    values.put("tony.azkaban.execution", "18");
    assertEquals(first, folder("application_1_0002"));
    values.put("tony.azkaban.job", "evaluate");
    assertNotEquals(first, folder("application_1_0002"));
  }

  @Test
  public void shouldBeTheOneThatIsNamedWhateverTheScope() throws IOException {
    values.put("tony.application.checkpoint-dir", "hdfs://c/shared");
    assertEquals("hdfs://c/shared", folder("application_1_0001"));
    values.put("tony.checkpoint.scope", "step");
    assertEquals("hdfs://c/shared", folder("application_1_0001"));
  }

  @Test
  public void shouldBeTheApplicationsWhereNobodyKnowsTheStep() throws IOException {
    values.clear();

    assertTrue(folder("application_1_0001").endsWith("/.tony/checkpoints/application_1_0001"));
  }
}
