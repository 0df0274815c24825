package io.tony.client;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tony.client.application.ExitCode;
import io.tony.client.input.InvalidJobException;
import io.tony.client.login.Login;
import io.tony.client.output.JobLog;
import io.tony.history.RecordedJobs;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** {@code tony list} and {@code tony compare}, of logs in a local folder that a site has named. */
public class HistoryCommandsTest {
  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final String home = System.getProperty("user.home");
  private Console console;

  @After
  public void goHome() {
    System.setProperty("user.home", home);
  }

  @Before
  public void record() throws Exception {
    System.setProperty("user.home", folder.newFolder("home").toString());
    YarnConfiguration conf = new YarnConfiguration();
    conf.set("fs.defaultFS", "file:///");
    console = new Console(conf, Login.byTicket(), new JobLog(bytes), null);
    for (int number = 1; number <= 6; number++) {
      RecordedJobs.write(folder.getRoot().toPath(), number, RecordedJobs.begin(number));
      RecordedJobs.write(
          folder.getRoot().toPath(), number, RecordedJobs.end(number == 4 ? 9.5 : 0.25));
    }
  }

  private List<String> arguments(String... some) {
    List<String> arguments = new ArrayList<>(List.of(some));
    arguments.addAll(List.of("-conf", "tony.history.location=" + folder.getRoot()));
    return arguments;
  }

  private String text() {
    console.out().flush();
    String text = bytes.toString(StandardCharsets.UTF_8);
    bytes.reset();
    return text;
  }

  private String list(String... some) throws Exception {
    assertEquals(ExitCode.SUCCEEDED, new ListCommand(console).run(arguments(some)));
    return text();
  }

  private String compare(String... some) throws Exception {
    assertEquals(ExitCode.SUCCEEDED, new CompareCommand(console).run(arguments(some)));
    return text();
  }

  @Test
  public void shouldListTheNewestJobsAsATable() throws Exception {
    List<String> lines = list("-limit", "2").lines().toList();

    assertEquals(4, lines.size());
    assertTrue(lines.get(0), lines.get(0).startsWith("APPLICATION"));
    assertTrue(lines.get(1), lines.get(1).startsWith(RecordedJobs.id(6) + "  SUCCEEDED"));
    assertTrue(lines.get(1), lines.get(1).endsWith("research  digits/nightly/train"));
    assertEquals("2 of 6 jobs; -limit NUMBER shows more", lines.get(3));
  }

  @Test
  public void shouldListForPrograms() throws Exception {
    JsonNode told = new ObjectMapper().readTree(list("-json", "-text", "train-4", "-user", "all"));

    assertEquals(1, told.get("total").asInt());
    JsonNode job = told.get("jobs").get(0);
    assertEquals(RecordedJobs.id(4), job.get("application").asText());
    assertEquals(9.5, job.get("outputs").get("loss").asDouble(), 0);
  }

  @Test
  public void shouldSayWhereThereIsNoSuchJob() throws Exception {
    assertTrue(list("-project", "other").startsWith("no such job in "));
    assertTrue(list("-user", "somebody").startsWith("no such job in "));
    assertTrue(list("-since", "1m", "-status", "failed").startsWith("no such job in "));
  }

  @Test
  public void shouldNameEveryMistake() {
    for (String[] wrong :
        new String[][] {
          {"-status", "done"},
          {"-since", "tomorrow"},
          {"-limit", "0"},
          {"-limit", "many"},
          {"-user", "*"},
          {"-user", "../ada"},
          {"word"}
        }) {
      InvalidJobException e =
          assertThrows(
              String.join(" ", wrong),
              InvalidJobException.class,
              () -> new ListCommand(console).run(arguments(wrong)));
      assertTrue(e.problems().toString(), e.problems().get(0).contains(wrong[wrong.length - 1]));
    }
  }

  @Test
  public void shouldMarkTheRunThatIsOutOfLineWithAWord() throws Exception {
    List<String> lines = compare("-project", "digits", "-job", "train").lines().toList();

    assertEquals(7, lines.size());
    assertTrue(lines.get(0), lines.get(0).contains("output.loss"));
    assertTrue(lines.get(0), lines.get(0).endsWith("OUT OF LINE"));
    for (int i = 1; i <= 6; i++) {
      boolean far = lines.get(i).startsWith(RecordedJobs.id(4));
      assertEquals(lines.get(i), far, lines.get(i).endsWith("output.loss high"));
    }
  }

  @Test
  public void shouldCompareNamedJobsInTheirOrder() throws Exception {
    String told = compare(RecordedJobs.id(2), RecordedJobs.id(4), "-json");

    JsonNode runs = new ObjectMapper().readTree(told).get("runs");
    assertEquals(2, runs.size());
    assertEquals(RecordedJobs.id(2), runs.get(0).get("application").asText());
    assertEquals("nothing is usual of two", 0, runs.get(1).get("outOfLine").size());
    assertTrue(
        compare(RecordedJobs.id(2), RecordedJobs.id(4))
            .endsWith("what is out of line is listed for 5 runs or more\n"));
  }

  @Test
  public void shouldNotCompareWhatIsNotThere() {
    for (String[] wrong :
        new String[][] {
          {},
          {RecordedJobs.id(1)},
          {RecordedJobs.id(1), RecordedJobs.id(99)},
          {RecordedJobs.id(1), "job"},
          {RecordedJobs.id(1), RecordedJobs.id(2), "-project", "digits"},
          {"-project", "other"}
        }) {
      assertThrows(
          String.join(" ", wrong),
          InvalidJobException.class,
          () -> new CompareCommand(console).run(arguments(wrong)));
    }
  }

  @Test
  public void shouldSayInOneSentenceThatAFolderIsOfAnotherFileSystem() {
    List<String> args = List.of("-folders", "hdfs://elsewhere:8020/tony/history");
    InvalidJobException refused =
        assertThrows(InvalidJobException.class, () -> new ServeCommand(console).run(args));
    assertTrue(
        refused.getMessage(),
        refused
            .getMessage()
            .contains("the folder hdfs://elsewhere:8020/tony/history is not there"));
    List<String> other = List.of("-conf", "tony.history.location=hdfs://elsewhere:8020/history");
    assertThrows(InvalidJobException.class, () -> new ListCommand(console).run(other));
  }
}
