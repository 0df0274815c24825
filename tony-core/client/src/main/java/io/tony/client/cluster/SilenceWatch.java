package io.tony.client.cluster;

import io.tony.client.output.DurationText;
import io.tony.client.output.JobLog;
import io.tony.container.local.LocalClusterFolders;
import io.tony.process.Spawner;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.ipc.Client;
import org.jspecify.annotations.Nullable;

/**
 * Tells the user what a silent command waits for. While the command prints nothing, a background
 * thread samples the stack of the command's thread, and after some seconds prints what the stack
 * shows.
 *
 * <p>If a server does not answer a call of Hadoop's RPC within {@link #MAX_WAIT}, the watch ends
 * the command, unless the command must survive outages of the cluster or its end condition returns
 * false.
 */
public final class SilenceWatch {
  /**
   * Minimum time without output after which the watch prints what the command waits for, and
   * minimum time between two such messages.
   */
  static final Duration MIN_REPORT_GAP = Duration.ofSeconds(3);

  /** Maximum time for which one call may stay unanswered before the watch ends the command. */
  static final Duration MAX_WAIT = Duration.ofSeconds(30);

  private static final Duration POLL_INTERVAL = Duration.ofMillis(500);

  /** Minimum time without output after which the command's stack is sampled. */
  private static final Duration MIN_SILENCE = Duration.ofMillis(500);

  /**
   * Maximum time between two polls. After a longer gap, this process is assumed to have been
   * suspended, and the wait for the current call's answer is measured from the end of the gap on.
   */
  private static final Duration MAX_POLL_GAP = Duration.ofSeconds(2);

  /**
   * Time without output during which the gap between two messages is {@link #MIN_REPORT_GAP}. After
   * it, the gap is half of the time without output, but at least {@link #MIN_REPORT_GAP} and at
   * most {@link #MAX_REPORT_GAP}; for commands that must survive outages, it is so from the
   * beginning.
   */
  private static final Duration FREQUENT_REPORT_PERIOD = Duration.ofMinutes(1);

  private static final Duration MAX_REPORT_GAP = Duration.ofMinutes(1);
  private static final Duration MAX_PROBE_WAIT = Duration.ofSeconds(1);

  /**
   * Maximum time, in milliseconds, that an interrupted command has to clean up before this process
   * is ended.
   */
  private static final long MAX_CLEANUP_MS = 2_000;

  private final JobLog out;
  private final JobLog waitLog;
  private final Configuration conf;
  private final Map<String, String> environment;
  private final boolean toleratesOutages;
  private final Thread command;
  private volatile BooleanSupplier endCondition = () -> true;
  private volatile boolean ended;

  private @Nullable WaitDescription lastWait; // null if the last sample found no wait
  private long lastCallId;
  // When the current call was first found unanswered. All times are those of System.nanoTime().
  private long unansweredSince;
  // Start of the time in which every sample has found the command waiting. Before the command's
  // first output, this is the time at which the watch was created.
  private long waitingSince;
  private long silentSince; // start of the time in which the command has printed nothing
  private long lastOutput;
  private long lastPoll;
  private long lastReport;
  private boolean hasPrinted; // whether the command has printed anything yet
  private boolean endRefused;

  /**
   * Creates a watch. It does nothing before {@link #start}.
   *
   * @param out the command's output; the watch only looks when something was printed last
   * @param waitLog output for the messages of this watch
   * @param conf configuration with the addresses of the cluster's servers
   * @param environment this process's environment variables
   * @param toleratesOutages whether the command must survive an outage of the cluster, as a step of
   *     Azkaban must
   * @param command the thread that runs the command
   */
  public SilenceWatch(
      JobLog out,
      JobLog waitLog,
      Configuration conf,
      Map<String, String> environment,
      boolean toleratesOutages,
      Thread command) {
    this.out = out;
    this.waitLog = waitLog;
    this.conf = conf;
    this.environment = environment;
    this.toleratesOutages = toleratesOutages;
    this.command = command;
    this.silentSince = System.nanoTime();
    this.lastOutput = out.lastOutputNanos();
    this.lastReport = silentSince;
    this.lastPoll = silentSince;
    // Until the command has printed something, it counts as waiting since the watch was created,
    // even if some samples find it busy.
    this.waitingSince = silentSince;
  }

  /**
   * Starts to watch on a background thread, until this process or the command ends.
   *
   * @param exit ends this process; called after the watch has interrupted the command
   */
  public void start(Runnable exit) throws IOException {
    Spawner.SYSTEM.startThread("silence", () -> run(exit));
  }

  /**
   * Sets the condition under which the watch may end the command. It is evaluated only when a call
   * has been unanswered for too long. After it has returned false once, the watch never ends the
   * command.
   */
  public void setEndCondition(BooleanSupplier condition) {
    endCondition = condition;
  }

  /** Returns true if the watch has decided to end the command, and has printed the reason. */
  public boolean hasEnded() {
    return ended;
  }

  private void run(Runnable exit) {
    try {
      while (!ended) {
        TimeUnit.NANOSECONDS.sleep(POLL_INTERVAL.toNanos());
        poll(System.nanoTime());
      }
      command.interrupt();
      command.join(MAX_CLEANUP_MS);
      exit.run();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  void poll(long now) {
    if (ended) {
      return;
    }
    boolean stopped = now - lastPoll > MAX_POLL_GAP.toNanos();
    lastPoll = now;
    if (out.lastOutputNanos() != lastOutput) {
      lastOutput = out.lastOutputNanos();
      silentSince = lastOutput;
      waitingSince = now;
      hasPrinted = true;
    }
    if (now - silentSince < MIN_SILENCE.toNanos() && lastWait == null) {
      return;
    }
    Optional<WaitDescription> awaited = WaitDescription.of(command.getStackTrace());
    long callId = Client.nextCallId();
    // Each sample takes one id from Hadoop's counter of RPC calls. A retry of a call reuses the
    // call's id, so if other ids were taken since the last sample, the command has made a new call.
    boolean progress =
        awaited.isEmpty() || !awaited.get().equals(lastWait) || callId != lastCallId + 1;
    lastCallId = callId;
    lastWait = awaited.orElse(null);
    if (progress || stopped) {
      unansweredSince = now;
    }
    if (awaited.isEmpty()) {
      waitingSince = hasPrinted ? now : waitingSince;
      return;
    }
    boolean unanswered =
        awaited.get().rpcCall()
            && now - unansweredSince > MAX_WAIT.toNanos()
            && !toleratesOutages
            && !endRefused;
    if (unanswered && tryEnd(awaited.get(), Duration.ofNanos(now - unansweredSince))) {
      ended = true;
    } else if (now - Math.max(silentSince, lastReport) >= reportGap(now).toNanos()
        && now - waitingSince >= MIN_REPORT_GAP.toNanos()) {
      reportWait(awaited.get(), progress);
      lastReport = now;
    }
  }

  private Duration reportGap(long now) {
    Duration silent = Duration.ofNanos(now - silentSince);
    if (silent.compareTo(FREQUENT_REPORT_PERIOD) < 0 && !toleratesOutages) {
      return MIN_REPORT_GAP;
    }
    Duration gap = silent.dividedBy(2);
    gap = gap.compareTo(MIN_REPORT_GAP) < 0 ? MIN_REPORT_GAP : gap;
    return gap.compareTo(MAX_REPORT_GAP) > 0 ? MAX_REPORT_GAP : gap;
  }

  private void reportWait(WaitDescription awaited, boolean progress) {
    Optional<ClusterServer> server = server(awaited);
    String reason =
        server.isPresent() && awaited.rpcCall() && !progress && !awaited.namedByJob()
            ? ": " + probe(server.get())
            : "";
    waitLog.println("waiting for " + description(awaited, server) + reason);
    waitLog.flush();
  }

  /**
   * Returns true, and prints the reason, if the end condition allows to end the command. The caller
   * then interrupts the command.
   */
  private boolean tryEnd(WaitDescription awaited, Duration waited) {
    Optional<ClusterServer> server = server(awaited);
    String reason = server.map(found -> ": " + probe(found)).orElse("");
    if (!endCondition.getAsBoolean()) {
      endRefused = true;
      return false;
    }
    waitLog.println(
        "FAILED (LOST): no answer within "
            + DurationText.format(Duration.ofSeconds(waited.toSeconds()))
            + " of "
            + description(awaited, server)
            + reason
            + ". "
            + UnreachableServer.remedy(environment));
    waitLog.flush();
    return true;
  }

  private Optional<ClusterServer> server(WaitDescription awaited) {
    if (LocalClusterFolders.isConfiguredIn(conf)) {
      return Optional.empty();
    }
    return switch (awaited.target()) {
      case RESOURCE_MANAGER -> Optional.of(ClusterServer.resourceManager(conf));
      case FILE_SYSTEM, UPLOAD ->
          FileSystem.getDefaultUri(conf).getScheme().equals("file")
              ? Optional.empty()
              : Optional.of(ClusterServer.fileSystem(conf));
      case KERBEROS, NODE_PAGE, LOCAL_FILES, MASTER, END -> Optional.empty();
    };
  }

  private static String description(WaitDescription awaited, Optional<ClusterServer> server) {
    String serverText = server.map(ClusterServer::description).orElse("this machine");
    return switch (awaited.target()) {
      case RESOURCE_MANAGER -> serverText;
      case FILE_SYSTEM ->
          serverText + (awaited.namedByJob() ? ", or another file system that the job names" : "");
      case UPLOAD -> "the upload of the job's files to " + serverText;
      case KERBEROS -> "a Kerberos server (KDC) of krb5.conf";
      case NODE_PAGE -> "a page of one of the cluster's nodes";
      case LOCAL_FILES -> "this machine, which reads and packs the job's files";
      case MASTER -> "the job's ApplicationMaster";
      case END -> "the end of the application";
    };
  }

  private static String probe(ClusterServer server) {
    FutureTask<String> probe = new FutureTask<>(server::probe);
    try {
      Spawner.SYSTEM.startThread("probe", probe);
      return probe.get(MAX_PROBE_WAIT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (IOException e) {
      return String.valueOf(e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      // The probe has failed or not ended in time, so report that there is no connection so far.
    }
    return "no connection so far";
  }
}
