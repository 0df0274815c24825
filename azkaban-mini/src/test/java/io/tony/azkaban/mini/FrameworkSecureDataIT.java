package io.tony.azkaban.mini;

import static org.junit.Assert.assertTrue;

import io.tony.testing.TonyCommand;
import org.junit.BeforeClass;
import org.junit.Test;

/** With Kerberos: a task has delegation tokens, and neither a ticket nor a keytab. */
public class FrameworkSecureDataIT extends DataPrograms {
  @BeforeClass
  public static void startCluster() throws Exception {
    startCluster(true);
  }

  @Test
  public void shouldActAsTheSubmitterByItsTokensAlone() throws Exception {
    makeData();
    assertWrittenByAlice(DATA + "/table.csv");
    try (TonyCommand job =
        submit(
            "env -u HADOOP_TOKEN_FILE_LOCATION " + pythons("make_data.py " + DATA),
            "tony.worker.instances=1")) {
      job.assertExit(1);
      String stderr = logs(job.application(), "stderr");
      assertTrue(stderr, stderr.contains("Client cannot authenticate via:[TOKEN, KERBEROS]"));
    }
  }
}
