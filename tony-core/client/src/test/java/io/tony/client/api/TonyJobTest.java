package io.tony.client.api;

import static org.junit.Assert.assertEquals;

import io.tony.client.follow.ReportedYarn;
import io.tony.client.input.JobFolder;
import io.tony.client.login.Login;
import io.tony.client.output.JobLog;
import io.tony.client.submit.JobRun;
import io.tony.client.submit.ReportTargets;
import io.tony.config.TonyConfig;
import io.tony.config.declared.ClientOptions;
import java.io.OutputStream;
import java.nio.file.Path;
import java.security.PrivilegedExceptionAction;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

public class TonyJobTest {
  @Rule public final TemporaryFolder temporary = new TemporaryFolder();
  @Rule public final Timeout limit = Timeout.seconds(60);

  private final ReportedYarn yarn = new ReportedYarn();

  private JobRun run() {
    String root = temporary.getRoot().toURI().toString();
    Map<String, String> values =
        Map.of(
            ClientOptions.STAGING_LOCATION.key(), root + "staging",
            ClientOptions.HISTORY_LOCATION.key(), root + "history");
    return new JobRun(
        new Configuration(),
        yarn,
        Login.byTicket(),
        TonyConfig.builder().layer("test", values).build(),
        JobFolder.of(Path.of("")),
        new ReportTargets(null, null, true, false),
        new JobLog(OutputStream.nullOutputStream()));
  }

  /** An ApplicationMaster listens to its owner only: as another user, the job would be cut off. */
  @Test
  public void shouldEndAJobAsItsUserWhoeverCalls() throws Exception {
    yarn.show(YarnApplicationState.ACCEPTED, 1, "N/A", -1);
    TonyJob job = new TonyJob(UserGroupInformation.createRemoteUser("alice"));
    JobRun run = run();
    Thread thread =
        new Thread(() -> job.follow(run, begun -> begun.follow(ReportedYarn.APPLICATION)));
    thread.setDaemon(true);
    thread.start();
    yarn.awaitLooks(2);
    PrivilegedExceptionAction<Void> kill =
        () -> {
          job.kill("timeout");
          return null;
        };

    UserGroupInformation.createRemoteUser("scheduler").doAs(kill);

    assertEquals(List.of("killed by timeout"), yarn.kills());
    assertEquals(List.of("alice"), yarn.killers());
  }
}
