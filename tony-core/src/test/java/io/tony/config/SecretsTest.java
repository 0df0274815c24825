package io.tony.config;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.config.job.JobSpecReader;
import io.tony.config.job.Problems;
import java.util.List;
import java.util.Map;
import org.junit.Test;

public class SecretsTest {
  @Test
  public void shouldMaskWhatHasASecretNameOrIsDeclaredOne() {
    for (String key :
        List.of(
            "tony.database.password",
            "tony.worker.env.API_KEY",
            "AWS_SECRET_ACCESS_KEY",
            "tony.execution.env.PLAIN",
            "tony.worker.env.PLAIN")) {
      assertEquals(key, Secrets.MASK, Secrets.mask(key, "canary"));
    }
    assertEquals("4g", Secrets.mask("tony.worker.memory", "4g"));
  }

  @Test
  public void shouldMaskTheCredentialsOfUrls() {
    assertEquals("jdbc:x://******@host/db", Secrets.maskText("jdbc:x://user:canary@host/db"));
    assertEquals("https://******@host/a", Secrets.maskText("https://canary@host/a"));
    assertEquals(
        "https://host/a?access_token=******",
        Secrets.maskText("https://host/a?access_token=canary"));
    String place = "abfss://container@account.example.org/data";
    assertEquals(place, Secrets.maskText(place));
  }

  @Test
  public void shouldMaskArgumentsAndEntriesOfMaps() {
    assertEquals("--db-password ****** --n 1", Secrets.maskText("--db-password 'a b' --n 1"));
    assertEquals(
        "A=1,DB_PASSWORD=******,B=x://******@h",
        Secrets.mask("tony.execution.envs", "A=1,DB_PASSWORD=can,ary,B=x://u:canary@h"));
  }

  @Test
  public void shouldRefuseAUrlWithAPasswordThatYarnWouldFetch() {
    Problems problems = new Problems();
    TonyConfig config =
        TonyConfig.builder()
            .layer(
                "job properties",
                Map.of(
                    "tony.worker.instances", "1",
                    "tony.application.executes", "true",
                    "tony.containers.resources", "https://user:canary@host/data.zip"))
            .build();

    JobSpecReader.draft(config, problems);

    String told = problems.toString();
    assertTrue(
        told,
        told.startsWith(
            "error: tony.containers.resources names https://******@host/data.zip, a URL with a"
                + " password, which YARN would write into its logs"));
  }
}
