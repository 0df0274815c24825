package io.tony.azkaban;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import azkaban.utils.Props;
import io.tony.client.check.project.Project;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public final class StepIdentityTest {

  private static final Map<String, String> FLOW =
      Map.of(
          "azkaban.flow.projectname", "digits",
          "azkaban.flow.projectid", "4",
          "azkaban.flow.projectversion", "2",
          "azkaban.flow.flowid", "daily",
          "azkaban.flow.submituser", "alice");

  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  private final JobLog log = new JobLog();
  private final Props job = new Props();

  @Before
  public void runAsAzkabanDoes() throws IOException {
    FLOW.forEach(job::put);
    attach("train");
  }

  private void attach(String name) throws IOException {
    Path execution = ExecutionFolder.in(folder.getRoot().toPath()).path();
    job.put("azkaban.job.attachment.file", execution + "/_job.17." + name + ".attach");
  }

  private void check(String attempt) throws Exception {
    StepIdentity.check(
        "train",
        job,
        attempt,
        execution -> execution == 17 ? Optional.of(FLOW) : Optional.empty(),
        log.logger());
  }

  private void assertRefused(String expected) {
    String message = assertThrows(JobFailedException.class, () -> check("0")).getMessage();
    assertTrue(message, message.startsWith(expected));
  }

  @Test
  public void shouldTakeWhatAzkabanSays() throws Exception {
    check("0");
    attach("2.train");
    check("2");
    attach("nightly._.inner._.train");
    check("0"); // older Azkabans set no path
    job.put("azkaban.flow.nested.path", "nightly:inner:train");
    check("0");
    attach("night._.ly._.train");
    job.put("azkaban.flow.nested.path", "night._.ly:train");
    check("0");
    assertEquals(0, log.count("cannot be asked"));
  }

  @Test
  public void shouldRefuseEveryOtherWord() throws Exception {
    for (String key : FLOW.keySet()) {
      job.put(key, "payments");
      assertRefused(key + " is Azkaban's to set, and is " + FLOW.get(key) + " here: remove it");
      job.put(key, FLOW.get(key));
    }
    attach("nightly._.train");
    job.put("azkaban.flow.nested.path", "payments:train");
    assertRefused("azkaban.flow.nested.path is Azkaban's to set, and is nightly:train here");
  }

  /** An Azkaban that sets no project name leaves the key to anybody. */
  @Test
  public void shouldRefuseWhatThisAzkabanDoesNotSet() {
    Props mine = new Props(job);
    JobFailedException e =
        assertThrows(
            JobFailedException.class,
            () ->
                StepIdentity.check(
                    "train",
                    mine,
                    "0",
                    execution -> Optional.of(Map.of("azkaban.flow.projectname", "")),
                    log.logger()));

    assertTrue(
        e.getMessage(),
        e.getMessage()
            .startsWith("azkaban.flow.projectname is Azkaban's to set, and is not set here"));
  }

  @Test
  public void shouldRefuseWhatValidateRefuses() throws Exception {
    Set<String> keys = new TreeSet<>(StepIdentity.KEYS);
    StepIdentity.PREFIXES.forEach(prefix -> keys.add(prefix + "x"));
    Path root = folder.newFolder("project").toPath();
    Files.writeString(
        root.resolve("train.job"), "type=tony\n" + String.join("=1\n", keys) + "=1\nx=1\n");

    try (Project project = Project.open(root)) {
      assertEquals(
          List.of(
              String.join(", ", keys)
                  + " may be set only by Azkaban: remove what is not the job's to say"),
          project.flows(Map.of()).steps().get(0).problems());
    }
  }

  @Test
  public void shouldSayWhereAzkabanCannotBeAsked() throws Exception {
    StepIdentity.check("train", job, "0", execution -> Optional.empty(), log.logger());

    assertEquals(1, log.count("WARN This Azkaban cannot be asked which flow runs"));
  }
}
