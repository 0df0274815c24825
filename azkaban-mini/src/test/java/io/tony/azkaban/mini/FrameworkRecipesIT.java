package io.tony.azkaban.mini;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import azkaban.executor.Status;
import io.tony.testing.BuildArtifacts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;

/**
 * Every recipe trains on the cluster, and prints what its page shows. The programs fail by
 * themselves if their result is wrong.
 */
@RunWith(Parameterized.class)
public class FrameworkRecipesIT extends ClusterFlowTest {
  private static final Pattern SHOWN =
      Pattern.compile("(?s)\n## What you see\n.*?\n```text\n(.*?)```\n");

  @Parameterized.Parameter public String recipe;

  @Parameterized.Parameters(name = "{0}")
  public static List<String> recipes() throws Exception {
    return FrameworkEnvironments.chosen().stream()
        .filter(name -> name.startsWith(FrameworkEnvironments.RECIPES))
        .map(name -> name.substring(FrameworkEnvironments.RECIPES.length()))
        .toList();
  }

  /** Not within a test's time limit: the first run on a machine takes minutes. */
  @Parameterized.BeforeParam
  public static void makeEnvironment(String recipe) throws Exception {
    python(recipe);
    libhdfs();
  }

  private static String python(String recipe) throws IOException, InterruptedException {
    return FrameworkEnvironments.python(FrameworkEnvironments.RECIPES + recipe);
  }

  /** What a node with an installed Hadoop has; the cluster of the tests has only Hadoop's jars. */
  private static Path libhdfs() throws IOException, InterruptedException {
    return FrameworkEnvironments.libhdfs().resolve("lib/native");
  }

  @Test
  public void shouldPrintWhatItsPageShows() throws Exception {
    List<String> shown = shown();
    assertFalse("the page shows no output", shown.isEmpty());

    FlowResult result =
        FlowEngine.run(
            sample(FrameworkEnvironments.RECIPES + recipe)
                .property("python", python(recipe))
                .property("shared.dir", root().resolve("shared").toString())
                .property("task_env.ARROW_LIBHDFS_DIR", libhdfs().toString())
                .build());

    String printed = printed(result);
    assertEquals(printed, Status.SUCCEEDED, result.status());
    String alike = ShownOutput.alike(printed);
    for (String line : shown) {
      assertTrue(
          line + "\nwas not printed:\n" + printed, alike.contains(ShownOutput.alike(line.strip())));
    }
  }

  private List<String> shown() throws IOException {
    Matcher block =
        SHOWN.matcher(
            Files.readString(
                BuildArtifacts.file("docs/" + FrameworkEnvironments.RECIPES + recipe + ".md")));
    assertTrue("the page has no block of output", block.find());
    return block.group(1).lines().filter(line -> !line.isBlank() && !line.equals("...")).toList();
  }

  /** The logs of all jobs, each line as the quickstart prints it: behind the name of its job. */
  private String printed(FlowResult result) {
    StringBuilder all = new StringBuilder();
    for (StepResult job : result.jobs()) {
      events.lines(job.name()).forEach(line -> all.append(job.name() + " | " + line + "\n"));
    }
    return all.toString();
  }
}
