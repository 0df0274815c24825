package io.tony.config;

import static org.junit.Assert.assertEquals;

import io.tony.config.declared.Registry;
import io.tony.config.option.ConfigOption;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.Test;

public final class JobTranslationTest {

  @Test
  public void shouldTranslateEverySpellingThatTheDocumentationTells() {
    for (ConfigOption<?> option : Registry.all()) {
      for (String spelling : option.jobSpellings()) {
        String from = spelling.replace("NAME", "X.y");
        String to = option.key().replace("{NAME}", "X.y");
        assertEquals(Map.of(to, "v w"), translate(Map.of(from, "v w")));
        assertEquals(Optional.of(to), JobTranslation.optionOf(from));
      }
    }
  }

  @Test
  public void shouldLeaveOutWhatIsNotAnOption() {
    assertEquals(
        Map.of("tony.worker.instances", "4"),
        translate(
            Map.of(
                "tony.worker.instances", "4",
                "hadoop.home", "/hadoop",
                "worker_env.", "no name",
                "retry.backoff", "10",
                "type", "tony")));
    assertEquals(Optional.empty(), JobTranslation.optionOf("retry.backoff"));
  }

  @Test
  public void shouldPreferTheFirstOfTwoSpellings() {
    assertEquals(
        Map.of("tony.execution.env.A", "task", "tony.execution.env.B", "worker"),
        translate(
            Map.of("task_env.A", "task", "worker_env.A", "worker", "worker_env.B", "worker")));
    assertEquals(
        Map.of("tony.execution.env.AZKABAN_INPUT_DATASET", "its own"),
        translate(
            Map.of("azkaban.input.dataset", "a,b", "worker_env.AZKABAN_INPUT_DATASET", "its own")));
  }

  /** TonY's client never saw these quotes: Azkaban had taken its command line apart. */
  @Test
  public void shouldTakeOnePairOfQuotesOffTheWholeCommand() {
    for (String[] written :
        new String[][] {
          {"'chmod +x serve.sh && ./serve.sh --ip=*'", "chmod +x serve.sh && ./serve.sh --ip=*"},
          {"\"python3 -c 'print(6*7)'\"", "python3 -c 'print(6*7)'"},
          {" 'main.py --epochs 3' ", "main.py --epochs 3"},
          {"'a' && 'b'", "'a' && 'b'"},
          {"\"a\" \"b\"", "\"a\" \"b\""},
          {"\"say \\\"hi\\\"\"", "\"say \\\"hi\\\"\""},
          {"bash -c 'a b'", "bash -c 'a b'"},
          {"'a b' c", "'a b' c"},
          {"'a b\"", "'a b\""},
          {"'", "'"},
          {" run.sh ", " run.sh "}
        }) {
      assertEquals(
          Map.of("tony.application.executes", written[1]),
          translate(Map.of("executes", written[0])));
    }
    assertEquals(
        Map.of(
            "tony.application.src-dir", "code",
            "tony.application.python-venv", "env.zip"),
        translate(Map.of("src_dir", "\"code\"", "python_venv", "'env.zip'")));
  }

  /** TonY wrote these into a file, or put quotes of its own around them. */
  @Test
  public void shouldLeaveTheQuotesOfOtherKeys() {
    Map<String, String> job =
        Map.of(
            "tony.application.executes", "'a b'",
            "tony.worker.command", "'a b'",
            "task_params", "\"a b\"",
            "task_env.A", "'a b'");
    assertEquals(
        Map.of(
            "tony.application.executes", "'a b'",
            "tony.worker.command", "'a b'",
            "tony.application.task-params", "\"a b\"",
            "tony.execution.env.A", "'a b'"),
        translate(job));
  }

  @Test
  public void shouldSuggestTheKeyThatWasProbablyMeant() {
    assertEquals("executes", suggested("Executes"));
    assertEquals("executes", suggested("exceutes"));
    assertEquals("task_params", suggested("task.params"));
    assertEquals("src_dir", suggested("SRC_DIR"));
    assertEquals("python_venv", suggested("python_venvs"));
    assertEquals("shell_env", suggested("shell.env"));
    assertEquals("task_env.DB_URL", suggested("task.env.DB_URL"));
    assertEquals("worker_env.A", suggested("WORKER_ENV_A"));
    assertEquals("tony.worker.memory", suggested("Tony.worker.memory"));
    assertEquals("azkaban.input.dataset", suggested("azkaban.input.datasets"));
    for (String other :
        List.of("executes", "etc_dir", "out_dir", "args", "tony.x", "azkaban.job.ip", "env.X")) {
      assertEquals(other, "", suggested(other));
    }
    assertEquals(Map.of(), translate(Map.of("execuets", "run")));
  }

  private static String suggested(String key) {
    return JobTranslation.suggest(key).orElse("");
  }

  @Test
  public void shouldLeaveBehindWhatAnEarlierStepPublished() {
    assertEquals(
        Map.of("tony.task.executor.jvm.opts", "-Xss1m"),
        translate(
            Map.of(
                "tony.application.id", "application_1_0001",
                "tony.tracking.url", "http://rm/1",
                "tony.final.status", "SUCCEEDED",
                "tony.failure.kind", "",
                "tony.checkpoint.dir", "hdfs://nn/checkpoints",
                "tony.checkpoint.latest", "hdfs://nn/checkpoints/.tony/1",
                "tony.task.worker.0.log.url", "http://node/log",
                "tony.output.auc", "0.93",
                "tony.task.executor.jvm.opts", "-Xss1m")));
  }

  @Test
  public void shouldSeparateDataSetsBySemicolons() {
    assertEquals(
        Map.of("tony.execution.env.AZKABAN_INPUT_DATASET", "/a;/b c"),
        translate(Map.of("azkaban.input.dataset", "/a,/b c")));
  }

  @Test
  public void shouldAddUpLists() {
    assertEquals(
        Map.of("tony.execution.envs", "A=1,B=2"),
        translate(Map.of("tony.execution.envs", "A=1", "shell_env", "B=2")));
  }

  @Test
  public void shouldPreferTheShortKey() {
    assertEquals(
        Map.of("tony.application.executes", "short"),
        translate(Map.of("tony.application.executes", "long", "executes", "short")));
  }

  @Test
  public void shouldTakeWhatLiesInTheWorkingDirectoryUnlessTold() {
    Set<String> files = Set.of("src", "tony.xml");
    assertEquals(
        Map.of("tony.application.src-dir", "src", "tony.application.conf-file", "tony.xml"),
        JobTranslation.translate(Map.of(), files::contains));
    Map<String, String> told =
        Map.of("tony.application.src-dir", "a", "tony.application.conf-file", "b");
    assertEquals(told, JobTranslation.translate(told, files::contains));
    assertEquals(
        told, JobTranslation.translate(Map.of("src_dir", "a", "conf_file", "b"), files::contains));
    assertEquals(
        Map.of("tony.application.src-dir", "src", "tony.application.conf-file", "tony.xml"),
        JobTranslation.translate(Map.of("src_dir", "", "conf_file", " "), files::contains));
  }

  @Test
  public void shouldIdentifyAJobInAnEmbeddedFlowByItsPath() {
    assertEquals(
        Map.of("tony.azkaban.job", "outer:train"),
        translate(Map.of("azkaban.job.id", "train", "azkaban.flow.nested.path", "outer:train")));
  }

  @Test
  public void shouldFallBackToTheProjectsIdWhereAzkabanHasNoName() {
    assertEquals(
        Map.of("tony.azkaban.project", "7"), translate(Map.of("azkaban.flow.projectid", "7")));
    assertEquals(
        Map.of("tony.azkaban.project", "ads"),
        translate(Map.of("azkaban.flow.projectid", "7", "azkaban.flow.projectname", "ads")));
  }

  private static Map<String, String> translate(Map<String, String> job) {
    return JobTranslation.translate(job, file -> false);
  }
}
