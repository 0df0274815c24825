package io.tony.migration;

import static io.tony.model.SampleJob.job;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.GeneratedPage;
import io.tony.Repository;
import io.tony.config.TonyConfig;
import io.tony.config.job.KeyCheck;
import io.tony.model.JobSpec;
import io.tony.model.SampleJob;
import io.tony.model.Supervision;
import io.tony.model.TaskId;
import io.tony.runtime.Clusters;
import io.tony.runtime.FrameworkRuntime;
import io.tony.runtime.Runtimes;
import io.tony.runtime.TaskEnvironment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.Test;

/** What docs/migration-tables.md says of each name, and that it is so. */
public class MigrationDocsTest {
  @Test
  public void shouldTellWhatBecameOfEachName() throws IOException {
    GeneratedPage.assertFresh(
        "migration-tables.md", MigrationDocs.markdown(), MigrationDocsTest.class);
  }

  /**
   * A job that sets all of them, each to its default in LinkedIn TonY, is not told of an unknown
   * key.
   */
  @Test
  public void shouldRefuseNoKeyOfTonYs() throws IOException {
    Map<String, String> values = new TreeMap<>();
    for (FormerTony.Option option : FormerTony.options()) {
      if (!option.key().contains("{")) {
        values.put(option.key(), option.defaultText());
      }
    }
    TonyConfig config = TonyConfig.builder().layer("train.job", values).build();
    assertEquals(List.of(), KeyCheck.check(config).errors());
  }

  @Test
  public void shouldSetTheVariablesThatItSaysItSets() throws IOException {
    List<String> wrong = new ArrayList<>();
    for (FormerTony.Variable variable : FormerTony.variables()) {
      boolean set = environment(variable.framework()).containsKey(variable.name());
      if (set != (variable.found() == FormerTony.Found.SET)) {
        wrong.add(variable.name());
      }
    }
    assertEquals(List.of(), wrong);
  }

  /** Where these come from is another room's, which has its own tests. */
  @Test
  public void shouldKnowTheVariablesThatOnlySomeTasksFind() throws IOException {
    StringBuilder sources = new StringBuilder();
    for (Path file : Repository.files("src/main/java", ".java")) {
      sources.append(Files.readString(file));
    }
    for (FormerTony.Variable variable : FormerTony.variables()) {
      if (variable.found() == FormerTony.Found.ELSEWHERE) {
        assertTrue(variable.name(), sources.indexOf('"' + variable.name() + '"') >= 0);
      }
    }
  }

  private static Map<String, String> environment(String framework) {
    FrameworkRuntime runtime = Runtimes.load().find(framework).orElseThrow();
    SampleJob roles =
        framework.equals("mxnet")
            ? job()
                .role("scheduler", 1, Supervision.UNTRACKED)
                .role("server", 1, Supervision.UNTRACKED)
            : job();
    JobSpec spec = roles.workers(2).spec();
    return TaskEnvironment.of(
        runtime, Clusters.gang(spec), TaskId.parse("worker:1"), "application_1_0001");
  }
}
