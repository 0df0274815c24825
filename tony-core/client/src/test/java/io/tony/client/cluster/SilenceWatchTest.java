package io.tony.client.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.client.output.JobLog;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;

/** A thread that waits in Hadoop's own client for a real port, which never answers. */
public class SilenceWatchTest {
  private final ByteArrayOutputStream told = new ByteArrayOutputStream();
  private final JobLog out = new JobLog(OutputStream.nullOutputStream());
  private final Configuration conf = new Configuration();
  private ServerSocket silent;
  private Thread command;

  @Before
  public void begin() throws IOException {
    silent = new ServerSocket(0, 1_000, InetAddress.getLoopbackAddress());
    conf.set("fs.defaultFS", "hdfs://127.0.0.1:" + silent.getLocalPort());
    command =
        new Thread(
            () -> {
              try {
                FileSystem.newInstance(conf).exists(new Path("/x"));
              } catch (IOException e) {
                // The end of the test.
              }
            });
    command.setDaemon(true);
    command.start();
    Optional<WaitDescription> awaited = Optional.empty();
    while (awaited.filter(WaitDescription::rpcCall).isEmpty()
        || command.getState() == Thread.State.RUNNABLE) {
      Thread.onSpinWait();
      awaited = WaitDescription.of(command.getStackTrace());
    }
    assertEquals(WaitDescription.WaitTarget.FILE_SYSTEM, awaited.get().target());
  }

  @After
  public void end() throws IOException {
    command.interrupt();
    silent.close();
  }

  private SilenceWatch watch(boolean patient) {
    return new SilenceWatch(
        out, new JobLog(told), conf, Map.of("HADOOP_CONF_DIR", "/no/folder"), patient, command);
  }

  /** Looks each half second, for so long. */
  private static void look(SilenceWatch watch, Duration time) {
    long start = System.nanoTime();
    for (long passed = 0; passed < time.toNanos(); passed += 500_000_000L) {
      watch.poll(start + passed);
    }
  }

  private List<String> lines() {
    return told.toString(StandardCharsets.UTF_8).lines().toList();
  }

  @Test(timeout = 60_000)
  public void shouldEndACommandThatGetsNoAnswer() {
    SilenceWatch watch = watch(false);

    look(watch, Duration.ofSeconds(32));

    assertTrue(lines().toString(), watch.hasEnded());
    String server = "HDFS at " + conf.get("fs.defaultFS") + " (fs.defaultFS of programmatically)";
    assertEquals(
        "waiting for " + server + ": it takes connections, and has not answered", lines().get(0));
    String last = lines().get(lines().size() - 1);
    assertTrue(last, last.startsWith("FAILED (LOST): no answer within 30 s of " + server + ": "));
    assertTrue(last, last.endsWith("(HADOOP_CONF_DIR is /no/folder, which is no folder)"));
  }

  @Test(timeout = 60_000)
  public void shouldNotEndACommandThatRidesOutAnOutage() {
    SilenceWatch watch = watch(true);

    look(watch, Duration.ofSeconds(40));

    assertFalse(watch.hasEnded());
    assertFalse(lines().isEmpty());
    assertTrue(lines().toString(), lines().stream().allMatch(l -> l.startsWith("waiting for ")));
  }

  @Test(timeout = 60_000)
  public void shouldNotEndACommandWhoseApplicationMayBeOnTheCluster() {
    SilenceWatch watch = watch(false);
    watch.setEndCondition(() -> false);

    look(watch, Duration.ofSeconds(40));

    assertFalse(watch.hasEnded());
  }

  @Test(timeout = 60_000)
  public void shouldCountNoTimeInWhichTheProcessWasStopped() {
    SilenceWatch watch = watch(false);
    long start = System.nanoTime();

    for (int seconds = 1; seconds <= 2; seconds++) {
      watch.poll(start + Duration.ofSeconds(seconds).toNanos());
    }
    watch.poll(start + Duration.ofSeconds(40).toNanos());

    assertFalse(lines().toString(), watch.hasEnded());
  }

  @Test(timeout = 60_000)
  public void shouldSayNothingOfACommandThatPrints() {
    SilenceWatch watch = watch(false);

    look(watch, Duration.ofMillis(900));

    assertEquals(List.of(), lines());
  }
}
