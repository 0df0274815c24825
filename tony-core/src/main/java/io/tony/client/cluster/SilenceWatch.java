package io.tony.client.cluster;

import io.tony.client.follow.Durations;
import io.tony.client.follow.JobLog;
import io.tony.container.local.LocalFolders;
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

/**
 * Looks at the thread of a command that has printed nothing for some seconds, and says what it
 * waits for: in the log of a step, which is its standard output, and else on standard error. A
 * server that leaves one call unanswered for {@link #MAX_WAIT} ends the command, as long as the
 * command is one that may end: nothing of it is on the cluster yet, and no flow waits for its
 * result.
 */
public final class SilenceWatch {
  /** How long a command says nothing before this watch does. */
  static final Duration SILENCE = Duration.ofSeconds(3);

  /** How long one call stays unanswered before the command ends. */
  static final Duration MAX_WAIT = Duration.ofSeconds(30);

  private static final Duration LOOK_EVERY = Duration.ofMillis(500);

  /** A command that prints is not looked at. */
  private static final Duration LOOK_AFTER = Duration.ofMillis(500);

  /** Where looks are further apart, this process was stopped meanwhile. */
  private static final Duration MAX_LOOK_GAP = Duration.ofSeconds(2);

  /** In a terminal, how long words come often; in the log of a step, they come ever less often. */
  private static final Duration OFTEN = Duration.ofMinutes(1);

  private static final Duration MAX_GAP = Duration.ofMinutes(1);
  private static final Duration PROBE_LIMIT = Duration.ofSeconds(1);

  /** How long the command has for its own clean-up. */
  private static final long LEAVE_MS = 2_000;

  private final JobLog out;
  private final JobLog words;
  private final Configuration conf;
  private final Map<String, String> environment;
  private final boolean patient;
  private final Thread command;
  private volatile BooleanSupplier mayEnd = () -> true;
  private volatile boolean over;

  private Awaited last;
  private long callsBegun;
  private long since; // the call that is waited for was not answered
  private long awaitingSince; // every look found the command waiting
  private long silentSince; // it printed nothing itself
  private long printed; // when it last did
  private long lastLook;
  private long lastWords;
  private boolean begun; // it has printed something
  private boolean mayNotEnd;

  /**
   * A watch over a command.
   *
   * @param out what it prints
   * @param words where this watch says what it waits for
   * @param patient whether the command rides out an outage of the cluster, as a step's does
   * @param command the thread that does its work
   */
  public SilenceWatch(
      JobLog out,
      JobLog words,
      Configuration conf,
      Map<String, String> environment,
      boolean patient,
      Thread command) {
    this.out = out;
    this.words = words;
    this.conf = conf;
    this.environment = environment;
    this.patient = patient;
    this.command = command;
    this.silentSince = System.nanoTime();
    this.printed = out.lastOutput();
    this.lastWords = silentSince;
    this.lastLook = silentSince;
    this.awaitingSince = silentSince; // what it begins with is silence, whatever it does
  }

  /** Looks from now on, until the process ends; {@code exit} ends the process. */
  public void begin(Runnable exit) throws IOException {
    Spawner.SYSTEM.thread("silence", () -> run(exit));
  }

  /**
   * From now on, only this says whether the command may end without an answer. Where it says no, it
   * is not asked again.
   */
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
    if (over) {
      return;
    }
    boolean stopped = now - lastLook > MAX_LOOK_GAP.toNanos();
    lastLook = now;
    if (out.lastOutput() != printed) {
      printed = out.lastOutput();
      silentSince = printed;
      awaitingSince = now;
      begun = true;
    }
    if (now - silentSince < LOOK_AFTER.toNanos() && last == null) {
      return;
    }
    Optional<Awaited> awaited = Awaited.of(command.getStackTrace());
    long calls = Client.nextCallId();
    // Each look takes one number, and a try again of the same call none.
    boolean progress = awaited.isEmpty() || !awaited.get().equals(last) || calls != callsBegun + 1;
    callsBegun = calls;
    last = awaited.orElse(null);
    if (progress || stopped) {
      since = now;
    }
    if (awaited.isEmpty()) {
      awaitingSince = begun ? now : awaitingSince;
      return;
    }
    boolean unanswered =
        awaited.get().call() && now - since > MAX_WAIT.toNanos() && !patient && !mayNotEnd;
    if (unanswered && end(awaited.get(), Duration.ofNanos(now - since))) {
      over = true;
    } else if (now - Math.max(silentSince, lastWords) >= gap(now).toNanos()
        && now - awaitingSince >= SILENCE.toNanos()) {
      say(awaited.get(), progress);
      lastWords = now;
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
    words.println("waiting for " + words(awaited, server) + reason);
    words.flush();
  }

  /** Returns false where the command may not end. */
  private boolean end(Awaited awaited, Duration waited) {
    Optional<ClusterServer> server = server(awaited);
    String reason = server.map(one -> ": " + probe(one)).orElse("");
    if (!mayEnd.getAsBoolean()) {
      mayNotEnd = true;
      return false;
    }
    words.println(
        "FAILED (LOST): no answer within "
            + Durations.text(Duration.ofSeconds(waited.toSeconds()))
            + " of "
            + words(awaited, server)
            + reason
            + ". "
            + Unanswered.remedy(environment));
    words.flush();
    return true;
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
    FutureTask<String> probe = new FutureTask<>(server::probe);
    try {
      Spawner.SYSTEM.thread("probe", probe);
      return probe.get(PROBE_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (IOException e) {
      return e.getMessage();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      // the words say so
    }
    return "no connection so far";
  }
}
