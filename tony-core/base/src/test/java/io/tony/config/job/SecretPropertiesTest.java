package io.tony.config.job;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.Test;

public class SecretPropertiesTest {
  private static Optional<String> warning(String key, String value) {
    Map<String, String> properties = new HashMap<>();
    properties.put(key, value);
    return SecretProperties.warning(properties);
  }

  private static void assertSecret(String key, String value) {
    String told = warning(key, value).orElse("");
    assertTrue(key + "=" + value + ": " + told, told.startsWith(key + " looks like a secret: "));
    assertFalse(told, value != null && told.contains(value));
  }

  private static void assertNoSecret(String key, String value) {
    assertEquals(key + "=" + value, Optional.empty(), warning(key, value));
  }

  @Test
  public void shouldFindASecretByItsName() {
    for (String key :
        new String[] {
          "db.password",
          "dbPassword",
          "DBPASSWORD",
          "mail.passwd",
          "aws.secret.access.key",
          "api_key",
          "hf.token",
          "oauth.client.secret",
          "gcp.credentials",
          "task_env.DB_PASSWORD",
          "worker_env.HF_TOKEN",
          "tony.worker.env.API_KEY",
          "tony.execution.env.AWS_SECRET_ACCESS_KEY"
        }) {
      assertSecret(key, null);
      assertSecret(key, "hunter2x");
      assertSecret(key, "${db.password}");
    }
  }

  @Test
  public void shouldFindASecretByItsUse() {
    assertSecret("task_params", "--steps 10 --db-password hunter2x");
    assertSecret("task_params", "--db-password='hunter2x'");
    assertSecret("executes", "DB_PASSWORD=hunter2x python train.py");
    assertSecret("tony.ps.command", "serve --api-key=hunter2x");
    assertSecret("shell_env", "A=b,HF_TOKEN=hunter2x");
    assertSecret("tony.worker.env", "HF_TOKEN=hunter2x");
    assertSecret("task_params", "--db postgres://ann:hunter2x@db/x");
    assertSecret("task_env.DB", "postgres://ann:hunter2x@db/x");
  }

  @Test
  public void shouldNotTakeAPlaceOrASwitchForASecret() {
    for (String key :
        new String[] {
          "db.password.file",
          "token.path",
          "proxy.keytab.location",
          "password.alias",
          "aws.access.key.id",
          "task_env.GOOGLE_CREDENTIALS_FILE",
          "task_env.TOKEN_URL",
          "obtain.binary.token",
          "azkaban.security.credential",
          "hadoop.security.credential.provider.path",
          "tony.keytab.location",
          "tony.application.name",
          "primary.key",
          "compass",
          "tokenizer",
          "max_tokens"
        }) {
      assertNoSecret(key, null);
      assertNoSecret(key, "hunter2x");
    }
    assertNoSecret("task_env.DB_PASSWORD", "/run/secrets/db");
    assertNoSecret("task_env.DB_PASSWORD", "hdfs:///user/ann/db.password");
    assertNoSecret("task_params", "--db-password $DB_PASSWORD --token $(cat token)");
    assertNoSecret("task_params", "--password-file /run/secrets/db --token --steps 5");
    assertNoSecret("use.token", "true");
  }

  /** Programs that train on text know tokens, too. */
  @Test
  public void shouldNotTakeATokenOfATextForASecret() {
    assertNoSecret("task_params", "--max-tokens 4096 --tokenizer bpe --pad_token <pad> --token 7");
    assertNoSecret("executes", "train.py --eos-token end --num_tokens=1000000 --token-ids a");
  }

  @Test
  public void shouldNameAllKeysInOneLineAndSayWhatToDo() {
    Map<String, String> properties = new HashMap<>();
    properties.put("db.password", null);
    properties.put("task_env.DB_PASSWORD", "hunter2x");

    assertEquals(
        "db.password, task_env.DB_PASSWORD look like a secret: Azkaban shows the properties of a"
            + " job to all who may read the project, and Azkaban 4 prints them into the job's log."
            + " Put the value into a file that only the job's user may read, and ship that with"
            + " tony.containers.resources (docs/security.md)",
        SecretProperties.warning(properties).orElseThrow());
    for (int i = 0; i < 20; i++) {
      properties.put("password." + i + ".x", null);
    }
    String told = SecretProperties.warning(properties).orElseThrow();
    assertTrue(told, told.contains(" and 12 more look like a secret: "));
  }
}
