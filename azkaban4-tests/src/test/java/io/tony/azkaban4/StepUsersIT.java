package io.tony.azkaban4;

import static org.junit.Assert.assertEquals;

import java.util.List;
import org.junit.Test;

/** As whom a step acts in Hadoop, where the administrator has the steps act as their users. */
public final class StepUsersIT extends Azkaban4Test {

  @Test
  public void shouldRunAsTheUserToProxyAndRefuseASuperuser() throws Exception {
    cluster().makeHome("alice");
    setJobTypePrivately("azkaban.should.proxy.user=true");
    files()
        .job("alices", tony(ONE_WORKER, "user.to.proxy=alice", "executes=true"))
        .job("hdfs", tony(ONE_WORKER, "user.to.proxy=hdfs", "executes=true"))
        .job("end", "type=noop", "dependencies=alices,hdfs");

    Execution execution = execute(files().folder(), "end", new FlowOptions().finishPossible());

    execution.assertEnds("FAILED");
    assertEquals(execution.log("alices"), "SUCCEEDED", execution.status("alices"));
    assertEquals("alice", application(execution, "alices").user());
    assertEquals(
        "alice",
        cluster().hdfsOwner("/user/alice/.tony/history/" + execution.application("alices")));
    execution.assertLoggedOnce(
        "hdfs",
        "user.to.proxy is 'hdfs': no job runs as Azkaban's own user, a superuser of the cluster or a"
            + " user of tony.client.refused-users, nor as what is not a plain user name. Name a user"
            + " that the project allows (in"
            + " Azkaban: Permissions, Proxy Users).");
    assertEquals(List.of(), execution.applications("hdfs"));
  }
}
