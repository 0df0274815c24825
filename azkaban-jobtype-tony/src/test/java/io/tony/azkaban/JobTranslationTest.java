package io.tony.azkaban;

import static org.junit.Assert.assertEquals;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.Test;

public final class JobTranslationTest {

  @Test
  public void shouldTranslateEveryKeyOfTheTable() {
    JobTranslation.TABLE.forEach(
        (from, to) -> {
          String name = from.endsWith(".") ? "X.y" : "";
          assertEquals(Map.of(to + name, "v w"), translate(Map.of(from + name, "v w")));
        });
  }

  @Test
  public void shouldLeaveEverythingElseBehind() {
    assertEquals(
        Map.of("tony.worker.instances", "4"),
        translate(
            Map.of(
                "tony.worker.instances", "4",
                "tony.client.java.home", "/jdk",
                "tony.client.jvm.args", "-Xmx1g",
                "tony.client.classpath", "/jars",
                "hadoop.home", "/hadoop",
                "mysql.password", "secret",
                "site.tony.yarn.queue", "forged",
                "worker_env.", "no name",
                "env.TOKEN", "secret")));
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
        JobTranslation.translate(Map.of(), Map.of(), files::contains));
    Map<String, String> told =
        Map.of("tony.application.src-dir", "a", "tony.application.conf-file", "b");
    assertEquals(told, JobTranslation.translate(told, Map.of(), files::contains));
    assertEquals(
        told,
        JobTranslation.translate(
            Map.of("src_dir", "a", "conf_file", "b"), Map.of(), files::contains));
  }

  @Test
  public void shouldMarkTheAdministratorsDefaultsAndPutThemFirst() {
    Map<String, String> job = new LinkedHashMap<>();
    job.put("executes", "run");
    job.put("tony.am.memory", "2g");
    job.put("tony.yarn.queue", "training");
    Map<String, String> translated =
        JobTranslation.translate(job, Map.of("tony.yarn.queue", "training"), file -> false);
    assertEquals(
        List.of("site.tony.yarn.queue", "tony.am.memory", "tony.application.executes"),
        List.copyOf(translated.keySet()));
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
    return JobTranslation.translate(job, Map.of(), file -> false);
  }
}
