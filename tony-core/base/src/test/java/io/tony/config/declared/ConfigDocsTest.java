package io.tony.config.declared;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.GeneratedPage;
import io.tony.config.option.ConfigOption;
import io.tony.runtime.Runtimes;
import java.io.IOException;
import java.util.List;
import org.junit.Test;

public class ConfigDocsTest {
  @Test
  public void shouldBeWhatTheRegistrySays() throws IOException {
    GeneratedPage.assertFresh("configuration.md", ConfigDocs.markdown(), ConfigDocsTest.class);
  }

  @Test
  public void shouldHaveOneRowForEveryOption() {
    List<String> rows =
        ConfigDocs.markdown()
            .lines()
            .filter(line -> line.matches("\\| (<a .*)?`tony\\..*"))
            .toList();
    for (ConfigOption<?> option : Registry.all()) {
      assertEquals(
          option.key() + " belongs into one chapter of " + Chapters.class.getSimpleName(),
          1,
          rows.stream().filter(row -> isOf(row, option.key())).count());
    }
    assertEquals(Registry.all().size() + RemovedKeys.ALL.size(), rows.size());
  }

  @Test
  public void shouldTellAllThatIsKnownOfAnOption() {
    assertEquals(
        "| <a id=\"tony.application.src-dir\"></a>`tony.application.src-dir`<br>in a job"
            + " `src_dir` | name | `src`, where the"
            + " folder of a job file has one | author | A folder of the project. Every task finds what is in it"
            + " in its working directory: `src/train.py` is `train.py` there. An archive (`.zip`, `.tar`, `.tar.gz`, `.tgz`) is unpacked there. |",
        row("tony.application.src-dir"));
    assertEquals(
        "| <a id=\"tony.gang.max-restarts\"></a>`tony.gang.max-restarts`<br>also"
            + " `tony.am.retry-count` | int | `0` | author |",
        row("tony.gang.max-restarts").replaceAll("(author \\|).*", "$1"));
    assertEquals(
        "| <a id=\"tony.task.heartbeat-interval-ms\"></a>`tony.task.heartbeat-interval-ms`<br>old"
            + " name `tony.task.heartbeat-interval` | duration, ms | `1000` | platform |",
        row("tony.task.heartbeat-interval-ms").replaceAll("(platform \\|).*", "$1"));
    assertTrue(row("tony.checkpoint.scope").contains(" | `execution`, `step` | `execution` | "));
  }

  @Test
  public void shouldTellWhatThisVersionDoesNotDo() {
    assertEquals(
        "| `tony.application.hadoop.location` |  | Archive with the Hadoop that the containers use."
            + " | containers use the Hadoop of their node, by yarn.application.classpath |",
        row("tony.application.hadoop.location"));
  }

  @Test
  public void shouldCallTheFormerProgramLinkedInTonY() {
    String ours = ConfigDocs.markdown().replace("LinkedIn TonY's", "");
    assertFalse("this program's or LinkedIn's?", ours.contains("TonY's"));
  }

  @Test
  public void shouldNameEveryFramework() {
    String row = row("tony.application.framework");
    for (String framework : Runtimes.load().names()) {
      assertTrue(framework, row.contains("`" + framework + "`"));
    }
  }

  private static String row(String key) {
    return ConfigDocs.markdown().lines().filter(line -> isOf(line, key)).findFirst().orElseThrow();
  }

  private static boolean isOf(String row, String key) {
    return row.replaceFirst("<a [^>]*></a>", "").startsWith("| `" + key + "`");
  }
}
