package io.tony.azkaban4;

import static org.junit.Assert.assertTrue;

import io.tony.testing.BuildArtifacts;
import io.tony.testing.FolderCopy;
import io.tony.testing.Python;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.Test;

/** The sample flow {@code nightly} as Azkaban 4 reads it: its .job files, and its Flow 2.0. */
public final class NightlyIT extends Azkaban4Test {

  /** Of 2,000 rows every tenth is kept for the evaluation. */
  private static final int STEPS_OF_A_NIGHT = 1_800;

  @Test
  public void shouldGoOnInFlow20FromTheNightOfTheJobFiles() throws Exception {
    Path jobFiles = root().resolve("nightly");
    FolderCopy.copy(BuildArtifacts.file("sample-flows/nightly"), jobFiles);
    Files.delete(jobFiles.resolve("flow20.project"));
    Files.delete(jobFiles.resolve("nightly.flow"));

    Execution first = execute(jobFiles, "publish", night("2026-11-20"));
    first.assertEnds("SUCCEEDED");
    assertSteps(0, STEPS_OF_A_NIGHT);

    Execution second =
        execute(BuildArtifacts.file("sample-flows/nightly"), "nightly", night("2026-11-21"));
    second.assertEnds("SUCCEEDED");
    assertSteps(STEPS_OF_A_NIGHT, 2 * STEPS_OF_A_NIGHT);
  }

  private FlowOptions night(String night) throws Exception {
    return new FlowOptions()
        .parameter("python", Python.path())
        .parameter("shared.dir", root().resolve("shared").toString())
        .parameter("night", night);
  }

  /** The program writes where it began to its log, and the published model has where it ended. */
  private void assertSteps(int first, int last) throws Exception {
    String model = read(root().resolve("shared/published/model.json"));
    assertTrue(model, model.contains("\"step\": " + last + ","));
    String expected = "from step " + first + " to " + last + ", ";
    String outputs = "";
    for (var application : cluster().applications()) {
      for (Path container : cluster().containerLogs(application.id())) {
        Path output = container.resolve("stdout");
        outputs += Files.exists(output) ? read(output) : "";
      }
    }
    assertTrue("'" + expected + "' is missing in:\n" + outputs, outputs.contains(expected));
  }
}
