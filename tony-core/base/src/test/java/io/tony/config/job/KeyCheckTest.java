package io.tony.config.job;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.config.TonyConfig;
import io.tony.config.TonyXml;
import io.tony.config.declared.JobOptions;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.Test;

public class KeyCheckTest {
  private static final List<String> REMOVED =
      """
      tony.portal.url tony.portal.cache.max-entries tony.history.mover-interval-ms
      tony.history.retention-sec tony.history.purger-interval-ms
      tony.history.finished-dir-timezone tony.https.port
      tony.https.keystore.path tony.https.keystore.type tony.https.keystore.password
      tony.https.keystore.algorithm tony.http.port tony.secret.key
      tony.horovod.mode.test.fast.fail tony.horovod.mode.test tony.horovod.driver.mode.debug
      """
          .lines()
          .flatMap(line -> List.of(line.strip().split(" ")).stream())
          .toList();

  private static Problems problems(String... keysAndValues) {
    return KeyCheck.check(JobSpecReaderTest.config(keysAndValues));
  }

  @Test
  public void shouldWarnOfKeysOfTonyThatHaveNoEffect() {
    for (String key : REMOVED) {
      Problems problems = problems(key, "x");
      assertEquals(key, List.of(), problems.errors());
      assertEquals(key, 1, problems.warnings().size());
      assertTrue(problems.warnings().get(0).startsWith(key + " (job) has no effect: "));
    }
  }

  @Test
  public void shouldReportAnUnknownKeyWithItsOriginAndASuggestion() {
    Problems problems = problems("tony.worker.memmory", "2g", "tony.worker.instances", "1");
    assertEquals(
        List.of("tony.worker.memmory (job) is not an option: did you mean tony.worker.memory?"),
        problems.errors());
    assertEquals(List.of(), problems.warnings());
  }

  @Test
  public void shouldSuggestAKeyWhenNoRoleIsDeclared() {
    assertEquals(
        List.of("tony.worker.instnces (job) is not an option: did you mean tony.worker.instances?"),
        problems("tony.worker.instnces", "2").errors());
  }

  @Test
  public void shouldReportAnUnknownKeyThatResemblesNone() {
    assertEquals(
        List.of(
            "tony.something.quite.different.altogether (job) is not an option:"
                + " docs/configuration.md lists all; remove it"),
        problems("tony.something.quite.different.altogether", "2").errors());
  }

  /** As platforms write them that have one form for all roles, and take the master for one. */
  @Test
  public void shouldSayThatThereIsOneApplicationMaster() {
    Problems problems = problems("tony.am.instances", "1", "tony.am.max-instances", "1");
    assertEquals(List.of(), problems.errors());
    assertEquals(
        List.of(
            "tony.am.instances (job) has no effect: remove it: there is one ApplicationMaster",
            "tony.am.max-instances (job) has no effect: remove it: there is one ApplicationMaster"),
        problems.warnings());
    assertEquals(
        List.of(
            "tony.am.depends-on (job) is not an option: a role can have it, and am is the"
                + " ApplicationMaster; docs/configuration.md lists all; remove it"),
        problems("tony.am.depends-on", "worker").errors());
  }

  @Test
  public void shouldNeverSuggestAnotherRolesKeyForOneThatNamesItsOwn() {
    for (String key :
        List.of("tony.am.timeout", "tony.ps.imege", "tony.am.images", "tony.task.queue")) {
      for (String error : problems(key, "1", "tony.ps.instances", "1").errors()) {
        String family = key.substring(0, key.lastIndexOf('.') + 1);
        assertTrue(
            error, !error.contains("did you mean") || error.contains("did you mean " + family));
      }
    }
  }

  @Test
  public void shouldWarnOfADeprecatedName() {
    assertEquals(
        List.of(
            "tony.task.heartbeat-interval (job) is the old name of"
                + " tony.task.heartbeat-interval-ms: write the new one"),
        problems("tony.task.heartbeat-interval", "500").warnings());
  }

  @Test
  public void shouldTakeTonYsNameAsItIs() {
    assertEquals(List.of(), problems("tony.am.retry-count", "2").warnings());
  }

  @Test
  public void shouldSayWhichOfTwoNamesCounts() {
    assertEquals(
        List.of(
            "tony.am.retry-count (job) has no effect: tony.gang.max-restarts is set there, too,"
                + " and means the same"),
        problems("tony.am.retry-count", "2", "tony.gang.max-restarts", "3").warnings());
  }

  @Test
  public void shouldWarnOfAKeyForARoleThatTheJobDoesNotHave() {
    Problems problems = problems("tony.wroker.memory", "2g", "tony.worker.instances", "1");
    assertEquals(
        List.of(
            "tony.wroker.memory has no effect: the job has no role wroker;"
                + " did you mean tony.worker.memory?"),
        problems.warnings());
    assertEquals(
        List.of(
            "tony.trainer.memory has no effect: the job has no role trainer;"
                + " set tony.trainer.instances"),
        problems("tony.trainer.memory", "2g", "tony.worker.instances", "1").warnings());
  }

  @Test
  public void shouldTakeASitesDefaultsForCustomaryRolesWithoutAWord() {
    assertTrue(problems("tony.ps.memory", "2g", "tony.worker.instances", "1").isEmpty());
  }

  @Test
  public void shouldWarnOfKeysThatAreNotOurs() {
    assertEquals(
        List.of("dfs.replication (job) has no effect: only keys that begin with tony. are options"),
        problems("dfs.replication", "1").warnings());
  }

  @Test
  public void shouldWarnWhenAFinalValueIsNotOverridden() {
    TonyXml site = new TonyXml(Map.of("tony.yarn.queue", "prod"), Set.of("tony.yarn.queue"));
    TonyConfig config =
        TonyConfig.builder()
            .layer("tony-site.xml", site)
            .layer("job", Map.of("tony.yarn.queue", "mine"))
            .build();
    assertEquals("prod", config.get(JobOptions.QUEUE));
    assertEquals(
        List.of(
            "tony.yarn.queue (job) has no effect: tony-site.xml declares its own value as final"),
        KeyCheck.check(config).warnings());
  }
}
