package io.tony.client.submit;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import io.tony.config.TonyConfig;
import io.tony.container.Staging;
import io.tony.model.JobSpec;
import io.tony.model.SampleJob;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.yarn.api.records.ApplicationAccessType;
import org.apache.hadoop.yarn.api.records.ApplicationSubmissionContext;
import org.apache.hadoop.yarn.api.records.ContainerLaunchContext;
import org.apache.hadoop.yarn.api.records.LocalResourceVisibility;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.ResourceRequest;
import org.apache.hadoop.yarn.util.Records;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class ApplicationRequestTest {
  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  private static TonyConfig config(Map<String, String> values) {
    return TonyConfig.builder().layer("test", values).build();
  }

  private static TonyConfig azkaban(String job) {
    return config(
        Map.of(
            "tony.azkaban.project", "Recommender",
            "tony.azkaban.flow", "nightly",
            "tony.azkaban.execution", "42",
            "tony.azkaban.job", job,
            "tony.azkaban.attempt", "1"));
  }

  /** By this a later attempt finds the application of an earlier one, and nobody else's. */
  @Test
  public void shouldHaveNoTwoJobsWithOneIdentity() {
    Map<Optional<String>, String> jobs = new HashMap<>();
    for (String job :
        new String[] {"train", "Train", "tr,in", "訓練一", "訓練二", "x".repeat(200), "x".repeat(201)}) {
      String other = jobs.put(ApplicationRequest.identityTag(azkaban(job)), job);
      assertEquals(job + " and " + other, null, other);
    }
    assertNotEquals(
        new JobIdentity(List.of("a", "b", "c", "d")).hash(),
        new JobIdentity(List.of("ab", "", "c", "d")).hash());
  }

  @Test
  public void shouldHaveNoIdentityOutsideAzkaban() {
    assertEquals(Optional.empty(), ApplicationRequest.identityTag(config(Map.of())));
    assertEquals(
        Optional.empty(),
        ApplicationRequest.identityTag(config(Map.of("tony.azkaban.job", "train"))));
  }

  @Test
  public void shouldHaveOneIdentityThroughAllAttempts() {
    Map<String, String> values = new HashMap<>(azkaban("train").asMap());
    values.put("tony.azkaban.attempt", "2");

    assertEquals(
        ApplicationRequest.identityTag(azkaban("train")),
        ApplicationRequest.identityTag(config(values)));
  }

  private ApplicationSubmissionContext filled(Map<String, String> values) throws IOException {
    Configuration conf = new Configuration();
    FileSystem fs = FileSystem.getLocal(conf);
    Staging staging = new Staging(fs, folder.getRoot().toString(), "application_1_0001");
    staging.create();
    Map<String, String> all = new HashMap<>(values);
    all.putIfAbsent("tony.application.jar", staging.jar().toString());
    for (Path file : List.of(new Path(all.get("tony.application.jar")), staging.config())) {
      fs.create(file).close();
    }
    TonyConfig config = config(all);
    ApplicationSubmissionContext request = Records.newRecord(ApplicationSubmissionContext.class);
    JobSpec job = SampleJob.job().spec();
    ApplicationRequest.fill(request, conf, config, job, staging, new Credentials());
    return request;
  }

  @Test
  public void shouldAskYarnForWhatTheJobSays() throws IOException {
    ApplicationSubmissionContext request =
        filled(
            Map.of(
                "tony.application.type", "TRAINING",
                "tony.yarn.queue", "nightly",
                "tony.am.memory", "2g",
                "tony.am.vcores", "3",
                "tony.application.tags", "blue",
                "tony.application.view-acls", "bob"));

    assertEquals("sample", request.getApplicationName());
    assertEquals("TRAINING", request.getApplicationType());
    assertEquals("nightly", request.getQueue());
    assertEquals(Resource.newInstance(2048, 3), request.getResource());
    assertTrue(
        request.getApplicationTags().toString(), request.getApplicationTags().contains("blue"));
    ContainerLaunchContext master = request.getAMContainerSpec();
    assertEquals("bob", master.getApplicationACLs().get(ApplicationAccessType.VIEW_APP));
    String command = master.getCommands().toString();
    assertTrue("three quarters of its memory: " + command, command.contains("-Xmx1536m"));
  }

  @Test
  public void shouldKeepTheTasksThroughTheLossOfAMasterWhereThereIsANextOne() throws IOException {
    ApplicationSubmissionContext one = filled(Map.of("tony.am.max-attempts", "1"));
    assertEquals(1, one.getMaxAppAttempts());
    assertFalse(one.getKeepContainersAcrossApplicationAttempts());

    ApplicationSubmissionContext three = filled(Map.of("tony.am.max-attempts", "3"));
    assertEquals(3, three.getMaxAppAttempts());
    assertTrue(three.getKeepContainersAcrossApplicationAttempts());
    assertEquals(Duration.ofHours(1).toMillis(), three.getAttemptFailuresValidityInterval());
  }

  private static LocalResourceVisibility visibilityOfTheProgram(
      ApplicationSubmissionContext request) {
    return request.getAMContainerSpec().getLocalResources().get("tony-core.jar").getVisibility();
  }

  @Test
  public void shouldLetANodeKeepTheProgramUnlessTheJobHasItToItself() throws IOException {
    String cached = "file:" + folder.getRoot() + "/cache/0123/tony-core.jar";

    assertEquals(
        LocalResourceVisibility.PRIVATE,
        visibilityOfTheProgram(filled(Map.of("tony.application.jar", cached))));
    assertEquals(LocalResourceVisibility.APPLICATION, visibilityOfTheProgram(filled(Map.of())));
  }

  @Test
  public void shouldPlaceTheMaster() throws IOException {
    assertNull(filled(Map.of()).getNodeLabelExpression());
    assertEquals(
        "all", filled(Map.of("tony.application.node-label", "all")).getNodeLabelExpression());

    ApplicationSubmissionContext own =
        filled(Map.of("tony.am.node-label", "own", "tony.am.memory", "1g"));
    assertNull(own.getNodeLabelExpression());
    ResourceRequest master = own.getAMContainerResourceRequests().get(0);
    assertEquals("own", master.getNodeLabelExpression());
    assertEquals(Resource.newInstance(1024, 1), master.getCapability());
    assertEquals(1, master.getNumContainers());
  }
}
