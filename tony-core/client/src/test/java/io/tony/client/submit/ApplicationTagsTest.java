package io.tony.client.submit;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.client.check.JobCheck;
import io.tony.config.TonyConfig;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.junit.Test;

public class ApplicationTagsTest {
  private static TonyConfig config(Map<String, String> values) {
    return TonyConfig.builder().layer("test", values).build();
  }

  private static Map<String, String> azkaban(String job) {
    return new HashMap<>(
        Map.of(
            "tony.azkaban.project", "Recommender",
            "tony.azkaban.flow", "nightly",
            "tony.azkaban.execution", "42",
            "tony.azkaban.job", job,
            "tony.azkaban.attempt", "1",
            "tony.azkaban.url", "https://azkaban.example:8443/executor?execid=42"));
  }

  private static Set<String> tags(Map<String, String> values) {
    return ApplicationTags.of(config(values), Map.of());
  }

  private static List<String> warnings(Map<String, String> values) {
    return JobCheck.of(config(values)).warnings();
  }

  private static Map<String, String> with(Map<String, String> values, String key, String value) {
    values.put(key, value);
    return values;
  }

  /** The names and forms of Azkaban's HadoopJobUtils.constructHadoopTags. */
  @Test
  public void shouldWriteTagsAsAzkabansHadoopJobTypesDo() {
    Map<String, String> job = azkaban("left:train");

    assertEquals(
        Set.of(
            ApplicationTags.identity(config(job)).orElseThrow(),
            ApplicationTags.step(config(job)).orElseThrow(),
            "azkaban.flow.execid:42",
            "workflowid:Recommender$nightly",
            "azkaban.flow.projectname:Recommender",
            "azkaban.flow.flowid:nightly",
            "azkaban.job.id:train",
            "azkaban.job.attempt:1",
            "azkaban.webserverhost:azkaban.example",
            "azkaban.flow.nested.path:left:train"),
        tags(job));
  }

  @Test
  public void shouldRefuseMoreThanYarnTakesWhereThatIsKnown() {
    Map<String, String> job = azkaban("train");
    Configuration conf = new YarnConfiguration();
    TonyConfig eight = config(with(job, "tony.application.tags", "a,b,c,d,e,f,g,h,azkaban.x"));
    TonyConfig nine = config(with(job, "tony.application.tags", "a,b,c,d,e,f,g,h,i"));

    assertEquals(Optional.empty(), ApplicationTags.Surplus.of(eight, conf));
    String words =
        "tony.application.tags=a,b,c,d,e,f,g,h,i (test): with TonY's own the application would have"
            + " 11 tags, and YARN takes 10 (yarn.resourcemanager.application.max-tags): leave out 1";
    assertEquals(
        "only the default is known",
        Optional.of(new ApplicationTags.Surplus(words, false)),
        ApplicationTags.Surplus.of(nine, conf));
    conf.setInt("yarn.resourcemanager.application.max-tags", 10);
    assertEquals(
        Optional.of(new ApplicationTags.Surplus(words, true)),
        ApplicationTags.Surplus.of(nine, conf));
    conf.setInt("yarn.resourcemanager.application.max-tags", 11);
    assertEquals(Optional.empty(), ApplicationTags.Surplus.of(nine, conf));
  }

  /** Azkaban's cleaner ends what has the execid of a stopped execution; a later one follows it. */
  @Test
  public void shouldNotBeFoundByTheCleanerOfContainers() {
    Set<String> tags =
        ApplicationTags.of(config(azkaban("train")), Map.of("TONY_AZKABAN_POD", "true"));

    assertTrue(tags.toString(), tags.contains("azkaban.execution:42"));
    assertFalse(tags.toString(), tags.stream().anyMatch(tag -> tag.contains("execid")));
  }

  @Test
  public void shouldKeepTheUsersOwnTagsAndLeaveOutTheLeastUsefulOfAzkabans() {
    Set<String> tags =
        tags(with(azkaban("left:train"), "tony.application.tags", "Team A, größe,c,d,e,f"));

    assertEquals(tags.toString(), 10, tags.size());
    assertTrue(tags.toString(), tags.containsAll(Set.of("team a", "gr__e", "c", "d", "e", "f")));
    assertTrue(tags.contains("azkaban.flow.execid:42"));
    assertTrue(tags.contains("workflowid:Recommender$nightly"));
    assertTrue(tags.contains(ApplicationTags.identity(config(azkaban("left:train"))).get()));
    assertTrue(tags.contains(ApplicationTags.step(config(azkaban("left:train"))).get()));
  }

  @Test
  public void shouldSayWhenThereIsNoRoomForAzkabansTags() {
    Map<String, String> job = with(azkaban("train"), "tony.application.tags", "a,b,c,d,e,f,g");

    String warnings = warnings(job).toString();

    assertTrue(warnings, warnings.contains("tony.application.tags has 7 tags: beside more than 6"));
    job.put("tony.application.tags", "a,b,c,d,e,f");
    assertFalse(warnings(job).toString(), warnings(job).toString().contains("application.tags"));
  }

  @Test
  public void shouldTakeNoTagByWhichAJobWouldBeAnotherAndSaySo() {
    Map<String, String> job =
        new HashMap<>(
            Map.of(
                "tony.application.tags", "a,azkaban.flow.execid:99, AZKABAN.step:1,WorkflowId:x"));

    assertEquals(Set.of("a"), tags(job));
    String warnings = warnings(job).toString();
    assertTrue(
        warnings,
        warnings.contains(
            "tony.application.tags: azkaban.flow.execid:99, AZKABAN.step:1, WorkflowId:x are left"
                + " out: only Azkaban's own execution has tags that begin with azkaban."));
  }

  @Test
  public void shouldWriteTagsThatYarnTakes() {
    List<Map<String, String>> jobs = new ArrayList<>();
    jobs.add(azkaban("Größe, 漢字\n" + "x".repeat(200)));
    jobs.add(with(azkaban("train"), "tony.azkaban.project", "p".repeat(150)));
    jobs.add(with(azkaban("train"), "tony.azkaban.url", "no url ^"));
    for (Map<String, String> job : jobs) {
      for (String tag : tags(job)) {
        assertTrue(tag, tag.matches("[\\x20-\\x7e&&[^,]]{1,100}"));
      }
    }
  }
}
