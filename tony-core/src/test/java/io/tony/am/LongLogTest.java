package io.tony.am;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.client.follow.ExitCode;
import io.tony.client.follow.JobLog;
import io.tony.client.follow.ReportedYarn;
import io.tony.client.login.Login;
import io.tony.client.source.JobFolder;
import io.tony.client.submit.JobRun;
import io.tony.client.submit.Reports;
import io.tony.config.TonyConfig;
import io.tony.config.declared.ClientOptions;
import io.tony.eventlog.EventLog;
import io.tony.eventlog.MonthOfEvents;
import io.tony.model.JobSpec;
import io.tony.model.SampleJob;
import java.io.File;
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
  private static final Duration MAX_READING = Duration.ofSeconds(60);

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
      Map<String, String> places =
          Map.of(
              ClientOptions.STAGING_LOCATION.key(), new File(args[0], "staging").toURI().toString(),
              ClientOptions.HISTORY_LOCATION.key(),
                  new File(args[0], "history").toURI().toString());
      JobRun run =
          new JobRun(
              new Configuration(),
              yarn,
              Login.byTicket(),
              TonyConfig.builder().layer("test", places).build(),
              JobFolder.of(Path.of("")),
              new Reports(Path.of(args[0], "status"), null, true, false),
              new JobLog(System.out));
      System.exit(run.follow(ReportedYarn.APPLICATION).code());
    }
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
      Past past = Past.read(log, job, TonyConfig.builder().build(), 7, 1, InstantSource.system());
      System.out.println("phase " + past.state().phase()); // test output
      System.exit(log.earlierCount() == MonthOfEvents.COUNT + 7 ? 0 : 1);
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

  /** The options are those of the job type's. */
  @Test
  public void shouldFollowAMonthToItsEndInTheHeapOfAClient() throws Exception {
    String out =
        run(Client.class, "-Xmx96m", "-Xmn6m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

    assertTrue(out, out.contains("SUCCEEDED"));
  }

  @Test
  public void shouldBeTakenOverInASmallHeap() throws Exception {
    String out = run(Master.class, "-Xmx256m", "-XX:+UseSerialGC");

    assertTrue(out, out.contains("phase FINISHED"));
  }
}
