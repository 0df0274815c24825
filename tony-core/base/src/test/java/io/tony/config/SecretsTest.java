package io.tony.config;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.config.job.JobSpecReader;
import io.tony.config.job.Problems;
import java.util.List;
import java.util.Locale;
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
  public void shouldMaskWhatSignsAUrl() {
    String canary = "c4n4ry%2Fx+y=";
    for (String name :
        List.of(
            "X-Amz-Signature",
            "X-Amz-Credential",
            "X-Amz-Security-Token",
            "X-Goog-Signature",
            "X-Goog-Credential",
            "x-oss-signature",
            "sig",
            "Signature",
            "Policy",
            "Key-Pair-Id",
            "AWSAccessKeyId")) {
      for (String spelled : List.of(name, name.toLowerCase(Locale.ROOT))) {
        for (String before : List.of("https://h/a?", "https://h/a?b=1&", "https://h/?b=1&amp;")) {
          for (String after : List.of("", "&se=2026-11-22", " is read", "' > x", "#end")) {
            String shown = Secrets.maskText("get '" + before + spelled + "=" + canary + after);
            assertFalse(shown, shown.contains("c4n4ry"));
            assertTrue(shown, shown.startsWith("get '" + before + spelled + "=" + Secrets.MASK));
          }
        }
      }
    }
    assertEquals(
        "https://h/?u=https%3A%2F%2Fs%2F%3FX-Amz-Signature%3D******%26a%3D1",
        Secrets.maskText("https://h/?u=https%3A%2F%2Fs%2F%3FX-Amz-Signature%3Dcanary%26a%3D1"));
    assertEquals(
        "https://a.blob.example.org/c/f?sv=1&sig=******&se=2",
        Secrets.mask("src_dir", "https://a.blob.example.org/c/f?sv=1&sig=canary&se=2"));
  }

  @Test
  public void shouldMaskTheKeysOfAnS3() {
    for (String scheme : List.of("s3", "s3a", "s3n")) {
      assertEquals(
          scheme + "://******@bucket/a:b@c",
          Secrets.maskText(scheme + "://AKIAIOSFODNN7EXAMPLE:wJal/XUtn+EMI/K7MDENG@bucket/a:b@c"));
      String place = scheme + "://bucket/2026:11/x@y";
      assertEquals(place, Secrets.maskText(place));
    }
  }

  @Test
  public void shouldLeaveWhatIsNoSecretAsItIs() {
    for (String text :
        List.of(
            "python3 train.py --policy mlp --sig 3 --n=1",
            "https://h/a?design=1&signed=no",
            "a?b:c@d",
            "--data 'a b' x=\"--n y\"",
            "tokens of the model",
            "")) {
      assertEquals(text, Secrets.maskText(text));
    }
  }

  /** A job may have a value of any length. */
  @Test(timeout = 10_000)
  public void shouldMaskALongTextInTimeThatGrowsWithItOnly() {
    for (String part :
        List.of(
            "a",
            "token",
            "-token",
            "a://",
            "a:",
            "=",
            "'",
            "\"",
            "https://a",
            "?sig",
            "s3://A",
            " ",
            "x='x=\"")) {
      Secrets.maskText(part.repeat(200_000 / part.length()));
      Secrets.maskText("--token" + part.repeat(200_000 / part.length()));
      Secrets.maskText("s3://" + part.repeat(200_000 / part.length()));
    }
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

    JobSpecReader.readLeniently(config, problems);

    String told = problems.toString();
    assertTrue(
        told,
        told.startsWith(
            "error: tony.containers.resources names https://******@host/data.zip, a URL with a"
                + " password, which YARN would write into its logs"));
  }

  @Test
  public void shouldMaskMoreOfWhatIsKept() {
    assertEquals(
        "train --conf '{\"db_password\":******, \"rows\": 7}'",
        Secrets.maskStrictly("train --conf '{\"db_password\":\"hunter2\", \"rows\": 7}'"));
    assertEquals("password: ****** user: ada", Secrets.maskStrictly("password: hunter2 user: ada"));
    assertEquals(
        "curl -H 'Authorization: Bearer ******' -H 'X-Token: ******'",
        Secrets.maskStrictly("curl -H 'Authorization: Bearer abc.def' -H 'X-Token: abc'"));
    assertEquals(
        "MYSQL_PWD=****** DB_PASS=****** PASSES=3 compass=north",
        Secrets.maskStrictly("MYSQL_PWD=a DB_PASS=b PASSES=3 compass=north"));
    assertEquals("python train.py --lr 0.1", Secrets.maskStrictly("python train.py --lr 0.1"));
  }

  @Test(timeout = 60_000)
  public void shouldMaskWhatIsKeptInTimeThatGrowsWithItOnly() {
    for (String part : List.of("a", "a-", "a:", "\"", "Bearer ", "x= ", "pass_")) {
      assertTrue(Secrets.maskStrictly(part.repeat(300_000)).length() > 0);
    }
  }
}
