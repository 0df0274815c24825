package io.tony.client.application;

import static org.junit.Assert.assertEquals;

import io.tony.client.follow.ReportedYarn;
import io.tony.model.TaskId;
import org.apache.hadoop.conf.Configuration;
import org.junit.Test;

public class LogLinksTest {
  private static final String LINK = "http://node-1/log";

  private final Configuration conf = new Configuration(false);

  private String shown() {
    return new LogLinks(conf, ReportedYarn.APPLICATION).logReference(new TaskId("worker", 0), LINK);
  }

  @Test
  public void shouldNameTheCommandWhereALinkWillLeadNowhere() {
    conf.setBoolean("yarn.log-aggregation-enable", true);

    assertEquals("tony logs " + ReportedYarn.APPLICATION + " worker:0", shown());
  }

  @Test
  public void shouldShowALinkThatLeadsToTheLog() {
    assertEquals("the node keeps it", LINK, shown());
    conf.setBoolean("yarn.log-aggregation-enable", true);
    conf.set("yarn.log.server.url", "http://history/logs");
    assertEquals("the node leads on", LINK, shown());
  }
}
