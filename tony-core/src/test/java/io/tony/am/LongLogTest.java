package io.tony.am;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.client.application.ExitCode;
import io.tony.client.follow.ReportedYarn;
import io.tony.client.input.JobFolder;
import io.tony.client.inspect.ApplicationInspector;
import io.tony.client.inspect.ApplicationLogs;
import io.tony.client.inspect.ApplicationTimeline;
import io.tony.client.inspect.ApplicationView;
import io.tony.client.login.Login;
import io.tony.client.output.JobLog;
import io.tony.client.submit.JobRun;
import io.tony.client.submit.ReportTargets;
import io.tony.config.TonyConfig;
import io.tony.config.declared.ClientOptions;
import io.tony.eventlog.EventLog;
import io.tony.eventlog.MonthOfEvents;
import io.tony.model.JobSpec;
import io.tony.model.SampleJob;
import java.io.File;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;
import org.junit.BeforeClass;
import org.junit.ClassRule;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/**
 * A job that has trained for a month: 1.3 million events, 240 MB. Whoever reads its log does it in
 * the heap that is given to a client or to an ApplicationMaster, each in a JVM of its own.
 */
public class LongLogTest {
  /** Reads longer only where something grows with the log's square. */
  private static final Duration MAX_READING = Duration.ofMinutes(2);

  /** The job type's options of a client. */
  private static final String[] CLIENT = {
    "-Xmx96m", "-Xmn6m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"
  };

  @ClassRule public static final TemporaryFolder FOLDER = new TemporaryFolder();

  @Rule public final Timeout limit = Timeout.seconds(240);

  @BeforeClass
  public static void write() throws Exception {
    MonthOfEvents.write(
        FOLDER.getRoot().toPath().resolve("history/" + ReportedYarn.APPLICATION.toString()));
  }

  /** Follows the application, which has ended by then, as a retry of an Azkaban job does. */
  public static final class Client {
    private Client() {}

    public static void main(String[] args) throws Exception {
      ReportedYarn yarn = new ReportedYarn();
      yarn.show(YarnApplicationState.FINISHED, 1, "N/A", -1);
      JobRun run =
          new JobRun(
              new Configuration(),
              yarn,
              Login.byTicket(),
              TonyConfig.builder().layer("test", places(args[0])).build(),
              JobFolder.of(Path.of("")),
              new ReportTargets(Path.of(args[0], "status"), null, true, false),
              new JobLog(System.out));
      System.exit(run.follow(ReportedYarn.APPLICATION).code());
    }
  }

  /** Looks at the application with each of a person's commands. */
  public static final class Person {
    private Person() {}

    public static void main(String[] args) throws Exception {
      ReportedYarn yarn = new ReportedYarn();
      yarn.show(YarnApplicationState.FINISHED, 1, "N/A", -1);
      Configuration conf = new Configuration();
      TonyConfig config = TonyConfig.builder().layer("test", places(args[0])).build();
      JobLog out = new JobLog(System.out);
      ApplicationView inspected =
          ApplicationView.of(conf, yarn, config, ReportedYarn.APPLICATION.toString());
      new ApplicationInspector(inspected, out).printStatus();
      new ApplicationInspector(inspected, out).printStatusJson();
      new ApplicationLogs(inspected, out).printLogs(null);
      new ApplicationTimeline(conf, yarn, config, ReportedYarn.APPLICATION).print(true, null, out);
      out.flush();
      JobLog nowhere =
          new JobLog(
              new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8));
      System.exit(new ApplicationLogs(inspected, nowhere).printEvents(false).code());
    }
  }

  private static Map<String, String> places(String folder) {
    return Map.of(
        ClientOptions.STAGING_LOCATION.key(), new File(folder, "staging").toURI().toString(),
        ClientOptions.HISTORY_LOCATION.key(), new File(folder, "history").toURI().toString());
  }

  /** Takes the job over as the second ApplicationMaster, up to its state. */
  public static final class Master {
    private Master() {}

    public static void main(String[] args) throws Exception {
      JobSpec job = SampleJob.job().workers(1).spec();
      FileSystem fs = FileSystem.getLocal(new Configuration()).getRawFileSystem();
      org.apache.hadoop.fs.Path history =
          new org.apache.hadoop.fs.Path(new File(args[0], "history").toURI());
      EventLog log =
          EventLog.create(
              fs,
              EventLog.folder(history, ReportedYarn.APPLICATION.toString()),
              2,
              InstantSource.system(),
              () -> System.exit(1));
      RecoveredState past =
          RecoveredState.read(log, job, TonyConfig.builder().build(), 7, 1, InstantSource.system());
      System.out.println("phase " + past.state().phase()); // test output
      System.exit(log.earlierEventCount() == MonthOfEvents.COUNT + 7 ? 0 : 1);
    }
  }

  private static String run(Class<?> main, String... jvm) throws Exception {
    List<String> line = new ArrayList<>();
    line.add(Path.of(System.getProperty("java.home"), "bin/java").toString());
    line.addAll(List.of(jvm));
    line.addAll(
        List.of(
            "-cp",
            System.getProperty("java.class.path"),
            main.getName(),
            FOLDER.getRoot().getPath()));
    Path stderr = FOLDER.newFile().toPath();
    long begin = System.nanoTime();
    Process process = new ProcessBuilder(line).redirectError(stderr.toFile()).start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int code = process.waitFor();
    Duration took = Duration.ofNanos(System.nanoTime() - begin);
    System.out.println(main.getSimpleName() + ": " + took); // test output
    String told = out.substring(Math.max(0, out.length() - 3_000)) + Files.readString(stderr);
    assertEquals(told, ExitCode.SUCCEEDED.code(), code);
    assertTrue(took.toString(), took.compareTo(MAX_READING) < 0);
    return out;
  }

  @Test
  public void shouldFollowAMonthToItsEndInTheHeapOfAClient() throws Exception {
    String out = run(Client.class, CLIENT);

    assertTrue(out, out.contains("SUCCEEDED"));
  }

  @Test
  public void shouldShowAMonthToAPersonInTheHeapOfAClient() throws Exception {
    String out = run(Person.class, CLIENT);

    assertTrue(out, out.contains("worker:0 PROGRESS"));
    assertTrue(out, out.contains("\"state\":\"started\""));
    assertTrue(out, out.contains("worker:0  http"));
    assertTrue(out, out.contains("\"goodput\""));
  }

  @Test
  public void shouldBeTakenOverInASmallHeap() throws Exception {
    String out = run(Master.class, "-Xmx256m", "-XX:+UseSerialGC");

    assertTrue(out, out.contains("phase FINISHED"));
  }
}
