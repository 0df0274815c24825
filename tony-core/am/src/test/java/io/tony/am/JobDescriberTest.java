package io.tony.am;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.config.TonyConfig;
import io.tony.config.job.JobSpecReader;
import io.tony.config.job.Problems;
import io.tony.event.JobDescription;
import io.tony.event.JobFact;
import io.tony.model.JobEvent;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import org.junit.Test;

public class JobDescriberTest {
  private static final Map<String, String> BASE =
      Map.of(
          "tony.application.name", "train",
          "tony.application.framework", "pytorch",
          "tony.worker.instances", "2",
          "tony.worker.command", "python train.py");

  private final Map<String, String> options = new TreeMap<>(BASE);

  private JobDescription described() {
    TonyConfig config = TonyConfig.builder().layer("test", options).build();
    // What this version does not know, a job of another one may have set.
    TonyConfig known =
        TonyConfig.builder()
            .layer("test", BASE)
            .layer("more", Map.of("tony.application.name", options.get("tony.application.name")))
            .build();
    return JobDescriber.of(
        config, JobSpecReader.read(known, new Problems()).orElseThrow(), "ada", "research");
  }

  @Test
  public void shouldTellWhoseJobItIsAndWhatWasSet() {
    JobDescription told = described();

    assertEquals("ada", told.user());
    assertEquals("research", told.queue());
    assertEquals("train", told.name());
    assertEquals("pytorch", told.framework());
    assertEquals(JobDescription.AzkabanStep.NONE, told.step());
    assertEquals(options, told.options());
    assertEquals("", told.omittedOptions());
  }

  @Test
  public void shouldTellWhichStepOfWhichFlowItIs() {
    options.put("tony.azkaban.project", "digits");
    options.put("tony.azkaban.flow", "nightly");
    options.put("tony.azkaban.job", "train");
    options.put("tony.azkaban.execution", "4711");
    options.put("tony.azkaban.attempt", "2");

    assertEquals(
        new JobDescription.AzkabanStep("digits", "nightly", "train", "4711", 2),
        described().step());
  }

  @Test
  public void shouldTellNoSecret() {
    options.put("tony.application.name", "train --db-password geheim1");
    options.put("tony.containers.envs", "DB_PASSWORD=geheim2,MODE=fast");
    options.put("tony.worker.command", "train --api-key geheim3 --url https://u:geheim4@host/");
    options.put("tony.some.secret", "geheim5");

    String line = new JobFact.Described(described()).toEvent(Instant.EPOCH, 0).toString();

    assertFalse(line, line.contains("geheim"));
    assertTrue(line, line.contains("MODE=fast"));
  }

  @Test
  public void shouldLeaveOutTheLongestOptionsWhereThereAreTooMany() {
    options.put("tony.containers.envs", "A=" + "x".repeat(50_000));
    options.put("tony.worker.command", "run " + "y".repeat(20_000));

    JobDescription told = described();

    assertEquals("1 for which there is no room: tony.containers.envs", told.omittedOptions());
    assertFalse(told.options().containsKey("tony.containers.envs"));
    assertTrue(told.options().containsKey("tony.worker.command"));
  }

  @Test
  public void shouldStayBelowItsLimitWhateverIsSet() {
    for (int i = 0; i < 10_000; i++) {
      options.put("tony.some.option-number-" + i, "value");
    }

    JobEvent event = new JobFact.Described(described()).toEvent(Instant.EPOCH, 0);

    int characters =
        event.details().entrySet().stream()
            .mapToInt(detail -> detail.getKey().length() + detail.getValue().length())
            .sum();
    assertTrue(
        "" + characters,
        characters
            < JobDescriber.MAX_OPTION_CHARS + event.details().size() * "option.".length() + 5_000);
    assertTrue(event.detail("optionsLeftOut"), event.detail("optionsLeftOut").endsWith("and more"));
  }
}
