package io.tony.azkaban.mini;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;

import azkaban.executor.Status;
import io.tony.testing.BuildArtifacts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;

/** Every sample flow in TonY's own syntax, unmodified: their programs check what they are given. */
@RunWith(Parameterized.class)
public class SampleFlowsIT extends ClusterFlowTest {

  private static final String FOLDER = "tony-0.5";

  @Parameterized.Parameter public String flow;

  @Parameterized.Parameters(name = "{0}")
  public static List<String> flows() throws IOException {
    try (Stream<Path> folders = Files.list(BuildArtifacts.file("sample-flows/" + FOLDER))) {
      List<String> names =
          folders
              .filter(Files::isDirectory)
              .map(it -> it.getFileName().toString())
              .sorted()
              .toList();
      assertFalse("no sample flow", names.isEmpty());
      return names;
    }
  }

  @Test
  public void shouldSucceed() throws Exception {
    FlowResult result = FlowEngine.run(sample(FOLDER + "/" + flow).build());

    assertEquals(log("train"), Status.SUCCEEDED, result.status());
    assertEquals("SUCCEEDED", application("train").finalStatus());
  }
}
