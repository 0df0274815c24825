package io.tony.client.follow;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import com.sun.net.httpserver.HttpServer;
import io.tony.fact.TaskFact;
import io.tony.model.TaskId;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.records.NodeReport;
import org.apache.hadoop.yarn.api.records.NodeState;
import org.apache.hadoop.yarn.client.api.impl.YarnClientImpl;
import org.apache.hadoop.yarn.util.Records;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;

public class TaskLogsTest {
  private static final String CONTAINER = "container_1_0001_01_000002";

  private final List<String> asked = new ArrayList<>();
  private HttpServer server;
  private String address;

  @Before
  public void serve() throws Exception {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    address = "127.0.0.1:" + server.getAddress().getPort();
    server.createContext(
        "/",
        exchange -> {
          asked.add(exchange.getRequestURI().toString());
          byte[] text = "loss 0.25".getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, text.length);
          exchange.getResponseBody().write(text);
          exchange.close();
        });
    server.start();
  }

  @After
  public void stop() {
    server.stop(0);
  }

  /** What is printed of a container's stdout, when YARN has one node. */
  private String printed(String node, String log) throws Exception {
    YarnClientImpl yarn =
        new YarnClientImpl() {
          @Override
          public List<NodeReport> getNodeReports(NodeState... states) {
            NodeReport report = Records.newRecord(NodeReport.class);
            report.setHttpAddress(node);
            return List.of(report);
          }
        };
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8)) {
      new TaskLogs(new Configuration(), yarn, ReportedYarn.APPLICATION, "alice")
          .print(
              new TaskFact.Allocated(new TaskId("worker", 0), CONTAINER, "node", log),
              "stdout",
              out);
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }

  @Test
  public void shouldPrintAFileOfAContainerFromItsNode() throws Exception {
    String log = "http://" + address + "/node/containerlogs/" + CONTAINER + "/alice";
    assertEquals("loss 0.25", printed(address, log));
    assertEquals(List.of("/ws/v1/node/containerlogs/" + CONTAINER + "/stdout"), asked);
  }

  /** A job writes its event log itself: it could have this client show its ticket to anybody. */
  @Test
  public void shouldAskNobodyWhoIsNoNodeOfYarns() throws Exception {
    String log = "http://" + address + "/node/containerlogs/" + CONTAINER + "/alice";
    assertTrue(printed("127.0.0.1:1", log).contains("YARN has no node that " + log));
    String hidden = "http://127.0.0.1:1@" + address + "/node/containerlogs/" + CONTAINER + "/alice";
    assertTrue(printed("127.0.0.1:1", hidden).contains("YARN has no node"));
    assertEquals(List.of(), asked);
  }
}
