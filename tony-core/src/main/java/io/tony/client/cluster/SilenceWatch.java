package io.tony.client.cluster;

import io.tony.client.follow.Durations;
import io.tony.client.follow.JobLog;
import io.tony.container.local.LocalFolders;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.ipc.Client;

/**
 * Looks at the thread of a command that has printed nothing for some seconds, and says what it
 * waits for. A server that leaves one call unanswered for {@link #MAX_WAIT} ends the command, as
 * long as the command is one that may end: nothing of it is on the cluster yet, and no flow waits
 * for its result.
 */
public final class SilenceWatch {
  /** How long a command says nothing before this watch does. */
  static final Duration SILENCE = Duration.ofSeconds(3);

  /** How long one call stays unanswered before the command ends. */
  static final Duration MAX_WAIT = Duration.ofSeconds(30);

  private static final Duration LOOK_EVERY = Duration.ofMillis(500);

  /** A command that prints is not looked at. */
  private static final Duration LOOK_AFTER = Duration.ofSeconds(1);

  /** In a terminal, how long words come often; in the log of a step, they come ever less often. */
  private static final Duration OFTEN = Duration.ofMinutes(1);

  private static final Duration MAX_GAP = Duration.ofMinutes(1);
  private static final Duration PROBE_LIMIT = Duration.ofSeconds(1);

  /** How long the command has for its own clean-up. */
  private static final long LEAVE_MS = 2_000;

  private final JobLog out;
  private final Configuration conf;
  private final Map<String, String> environment;
  private final boolean patient;
  private final Thread command;
  private volatile BooleanSupplier mayEnd = () -> true;
  private volatile boolean over;

  private Awaited last;
  private long callsBegun;
  private long since;
  private long silentSince;
  private long ownOutput;

  /**
   * A watch over a command.
   *
   * @param patient whether the command rides out an outage of the cluster, as a step's does
   * @param command the thread that does its work
   */
  public SilenceWatch(
      JobLog out,
      Configuration conf,
      Map<String, String> environment,
      boolean patient,
      Thread command) {
    this.out = out;
    this.conf = conf;
    this.environment = environment;
    this.patient = patient;
    this.command = command;
    this.silentSince = System.nanoTime();
  }

  /** Looks from now on, until the process ends; {@code exit} ends the process. */
  public void begin(Runnable exit) {
    Thread thread = new Thread(() -> run(exit), "silence");
    thread.setDaemon(true);
    thread.start();
  }

  /** From now on, only this says whether the command may end without an answer. */
  public void endOnlyWhile(BooleanSupplier condition) {
    mayEnd = condition;
  }

  /** Whether the watch has ended the command, and has said why. */
  public boolean hasEnded() {
    return over;
  }

  private void run(Runnable exit) {
    try {
      while (!over) {
        TimeUnit.NANOSECONDS.sleep(LOOK_EVERY.toNanos());
        look(System.nanoTime());
      }
      command.interrupt();
      command.join(LEAVE_MS);
      exit.run();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  void look(long now) {
    long output = out.lastOutput();
    if (output != ownOutput) {
      silentSince = output;
      ownOutput = output;
    }
    if (now - output < LOOK_AFTER.toNanos() && last == null) {
      return;
    }
    Optional<Awaited> awaited = Awaited.of(command.getStackTrace());
    long calls = Client.nextCallId();
    // Each look takes one number, and a try again of the same call none.
    boolean progress = awaited.isEmpty() || !awaited.get().equals(last) || calls != callsBegun + 1;
    callsBegun = calls;
    last = awaited.orElse(null);
    if (progress) {
      since = now;
    }
    if (awaited.isEmpty()) {
      return;
    }
    Duration waited = Duration.ofNanos(now - since);
    if (awaited.get().call()
        && !patient
        && waited.compareTo(MAX_WAIT) > 0
        && mayEnd.getAsBoolean()) {
      end(awaited.get(), waited);
    } else if (now - output >= gap(now).toNanos()) {
      say(awaited.get(), progress);
    }
  }

  private Duration gap(long now) {
    Duration silent = Duration.ofNanos(now - silentSince);
    if (silent.compareTo(OFTEN) < 0 && !patient) {
      return SILENCE;
    }
    Duration gap = silent.dividedBy(2);
    gap = gap.compareTo(SILENCE) < 0 ? SILENCE : gap;
    return gap.compareTo(MAX_GAP) > 0 ? MAX_GAP : gap;
  }

  private void say(Awaited awaited, boolean progress) {
    Optional<ClusterServer> server = server(awaited);
    String reason =
        server.isPresent() && awaited.call() && !progress && !awaited.named()
            ? ": " + probe(server.get())
            : "";
    out.println("waiting for " + words(awaited, server) + reason);
    out.flush();
    ownOutput = out.lastOutput();
  }

  private void end(Awaited awaited, Duration waited) {
    Optional<ClusterServer> server = server(awaited);
    out.println(
        "FAILED (LOST): no answer within "
            + Durations.text(Duration.ofSeconds(waited.toSeconds()))
            + " of "
            + words(awaited, server)
            + server.map(one -> ": " + probe(one)).orElse("")
            + ". "
            + Unanswered.remedy(environment));
    out.flush();
    over = true;
  }

  private Optional<ClusterServer> server(Awaited awaited) {
    if (LocalFolders.isConfiguredIn(conf)) {
      return Optional.empty();
    }
    return switch (awaited.what()) {
      case RESOURCE_MANAGER -> Optional.of(ClusterServer.resourceManager(conf));
      case FILE_SYSTEM, UPLOAD ->
          FileSystem.getDefaultUri(conf).getScheme().equals("file")
              ? Optional.empty()
              : Optional.of(ClusterServer.fileSystem(conf));
      case KERBEROS, NODE_PAGE, LOCAL_FILES, MASTER, END -> Optional.empty();
    };
  }

  private static String words(Awaited awaited, Optional<ClusterServer> server) {
    String place = server.map(ClusterServer::described).orElse("this machine");
    return switch (awaited.what()) {
      case RESOURCE_MANAGER -> place;
      case FILE_SYSTEM ->
          place + (awaited.named() ? ", or another file system that the job names" : "");
      case UPLOAD -> "the upload of the job's files to " + place;
      case KERBEROS -> "a Kerberos server (KDC) of krb5.conf";
      case NODE_PAGE -> "a page of one of the cluster's nodes";
      case LOCAL_FILES -> "this machine, which reads and packs the job's files";
      case MASTER -> "the job's ApplicationMaster";
      case END -> "the end of the application";
    };
  }

  private static String probe(ClusterServer server) {
    return CompletableFuture.supplyAsync(server::probe)
        .completeOnTimeout("no connection so far", PROBE_LIMIT.toMillis(), TimeUnit.MILLISECONDS)
        .join();
  }
}
