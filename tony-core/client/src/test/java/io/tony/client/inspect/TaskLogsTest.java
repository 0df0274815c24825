package io.tony.client.inspect;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import com.sun.net.httpserver.HttpServer;
import io.tony.client.follow.ReportedYarn;
import io.tony.client.output.JobLog;
import io.tony.event.TaskFact;
import io.tony.history.web.HandedIn;
import io.tony.model.TaskId;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.yarn.api.records.NodeReport;
import org.apache.hadoop.yarn.api.records.NodeState;
import org.apache.hadoop.yarn.client.api.impl.YarnClientImpl;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.util.Records;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class TaskLogsTest {
  private static final String CONTAINER = "container_1_0001_01_000002";

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  private final List<String> asked = new CopyOnWriteArrayList<>();
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

  /** A ResourceManager with one node, which is in this state. */
  private static YarnClientImpl yarn(String node, NodeState state) {
    return new YarnClientImpl() {
      @Override
      public List<NodeReport> getNodeReports(NodeState... states) {
        NodeReport report = Records.newRecord(NodeReport.class);
        report.setHttpAddress(node);
        return List.of(states).contains(state) ? List.of(report) : List.of();
      }
    };
  }

  /** What is printed of a container's stdout. */
  private static String printed(YarnClientImpl yarn, String container, String log)
      throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    JobLog out = new JobLog(bytes);
    new TaskLogs(new Configuration(), yarn, ReportedYarn.APPLICATION, "alice")
        .print(
            new TaskFact.Allocated(new TaskId("worker", 0), container, "node", log), "stdout", out);
    out.flush();
    return bytes.toString(StandardCharsets.UTF_8);
  }

  private String page() {
    return "http://" + address + "/node/containerlogs/" + CONTAINER + "/alice";
  }

  @Test
  public void shouldPrintAFileOfAContainerFromItsNode() throws Exception {
    assertEquals("loss 0.25", printed(yarn(address, NodeState.RUNNING), CONTAINER, page()));
    assertEquals(List.of("/ws/v1/node/containerlogs/" + CONTAINER + "/stdout"), asked);
  }

  @Test
  public void shouldAskANodeWhoseDiskIsFull() throws Exception {
    assertEquals("loss 0.25", printed(yarn(address, NodeState.UNHEALTHY), CONTAINER, page()));
  }

  /** A job writes its event log itself: it could have this client show its ticket to anybody. */
  @Test
  public void shouldAskNobodyWhoIsNoNodeOfYarns() throws Exception {
    YarnClientImpl yarn = yarn("127.0.0.1:1", NodeState.RUNNING);
    String hidden = page().replace("//", "//127.0.0.1:1@");
    for (String log : List.of(page(), hidden)) {
      String told = printed(yarn, CONTAINER, log);
      assertTrue(told, told.contains(log + " is not the address of a node that YARN has now"));
    }
    assertEquals(List.of(), asked);
  }

  @Test
  public void shouldNotBeLedElsewhere() throws Exception {
    server.removeContext("/");
    server.createContext(
        "/ws",
        exchange -> {
          exchange.getResponseHeaders().add("Location", "http://" + address + "/elsewhere");
          exchange.sendResponseHeaders(307, -1);
          exchange.close();
        });
    server.createContext("/elsewhere", exchange -> asked.add("elsewhere"));
    String told = printed(yarn(address, NodeState.RUNNING), CONTAINER, page());
    assertTrue(told, told.contains("it has no such file"));
    assertEquals(List.of(), asked);
  }

  @Test
  public void shouldShowNoContainerOfAnotherApplication() throws Exception {
    YarnClientImpl yarn = yarn(address, NodeState.RUNNING);
    for (String other : List.of("container_1_0002_01_000002", "container_1_0001_01_000002/../x")) {
      String told = printed(yarn, other, page());
      assertTrue(told, told.contains("it gives none (") && told.contains(other));
    }
    assertEquals(List.of(), asked);
  }

  // ---- Where the node has the files no more ----

  private static TaskFact.Allocated allocated() {
    return new TaskFact.Allocated(
        new TaskId("worker", 0), CONTAINER, HandedIn.NODE, "http://127.0.0.1:1/node/x");
  }

  private TaskLogs handedIn() throws Exception {
    Configuration conf = new YarnConfiguration();
    new HandedIn(conf, temporary.getRoot().toPath())
        .write(CONTAINER, Map.of("stdout", "loss 0.25\nloss 0.20\n"));
    return new TaskLogs(
        conf,
        yarn("127.0.0.1:2", NodeState.RUNNING),
        ReportedYarn.APPLICATION,
        UserGroupInformation.getCurrentUser().getShortUserName());
  }

  private static String printed(TaskLogs logs, String file) throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    JobLog out = new JobLog(bytes);
    logs.print(allocated(), file, out);
    out.flush();
    return bytes.toString(StandardCharsets.UTF_8);
  }

  @Test
  public void shouldPrintAFileThatItsNodeHasHandedIn() throws Exception {
    String told = printed(handedIn(), "stdout");

    assertTrue(told, told.contains("loss 0.25\nloss 0.20\n"));
    assertEquals(told, -1, told.indexOf("(neither"));
  }

  @Test
  public void shouldSayThatAFileIsNowhere() throws Exception {
    assertEquals(
        "(neither on the node any more nor among the aggregated logs)",
        printed(handedIn(), "executor.log").strip());
  }

  @Test
  public void shouldCopyTheRestOfAFileThatItsNodeHasHandedIn() throws Exception {
    ByteArrayOutputStream rest = new ByteArrayOutputStream();

    handedIn().copyAggregated(allocated(), "stdout", "loss 0.25\n".length(), rest);

    assertEquals("loss 0.20\n", rest.toString(StandardCharsets.UTF_8));
  }

  @Test
  public void shouldNotTakeAFileThatIsNotHandedInForAnEmptyOne() throws Exception {
    TaskLogs logs = handedIn();
    ByteArrayOutputStream rest = new ByteArrayOutputStream();

    IOException e =
        assertThrows(
            IOException.class, () -> logs.copyAggregated(allocated(), "executor.log", 0, rest));

    assertEquals("it has no executor.log", e.getMessage());
  }
}
