package io.tony.client;

import io.tony.config.ClientOptions;
import io.tony.config.JobOptions;
import io.tony.config.TonyConfig;
import io.tony.eventlog.EventLog;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.OptionalDouble;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One job from its submission to its end, told as it goes. {@link #cancel} may come from another
 * thread at any moment; whatever was begun by then is undone.
 */
final class JobRun {
  private static final Logger LOG = LoggerFactory.getLogger(JobRun.class);

  /** What whoever started this client wants besides its exit code; each path may be null. */
  record Reports(Path statusFile, Path outputFile, boolean machineLines, boolean verbose) {}

  private final Configuration conf;
  private final YarnClient yarn;
  private final TonyConfig config;
  private final Path workingDirectory;
  private final Reports reports;
  private final PrintStream out;
  private final StatusFile status;
  private final Narrator narrator;
  private final JobStory story = new JobStory();

  private final Object lock = new Object();
  private final CountDownLatch over = new CountDownLatch(1);
  private final CountDownLatch cancelOver = new CountDownLatch(1);
  private Thread runner;
  private boolean cancelled;
  private RunningApplication running;
  private long seen;

  JobRun(
      Configuration conf,
      YarnClient yarn,
      TonyConfig config,
      Path workingDirectory,
      Reports reports,
      PrintStream out) {
    this.conf = conf;
    this.yarn = yarn;
    this.config = config;
    this.workingDirectory = workingDirectory;
    this.reports = reports;
    this.out = out;
    this.status = new StatusFile(reports.statusFile());
    this.narrator = new Narrator(out, reports.machineLines(), reports.verbose());
  }

  /**
   * Submits the job and follows it.
   *
   * @throws InvalidJobException when it cannot be submitted as it is
   */
  ExitCode run() throws InvalidJobException, IOException, YarnException, InterruptedException {
    synchronized (lock) {
      runner = Thread.currentThread();
    }
    try {
      Submission submission = Submission.prepare(conf, yarn, config, workingDirectory);
      submission.warnings().forEach(warning -> out.println("warning: " + warning));
      status.application(submission.id().toString());
      if (!submitted(submission)) {
        return ExitCode.TERMINATED;
      }
      return follow(submission);
    } finally {
      over.countDown();
      if (isCancelled()) {
        cancelOver.await();
      }
    }
  }

  private boolean submitted(Submission submission)
      throws IOException, YarnException, InterruptedException {
    boolean submitted = false;
    try {
      submission.stage();
      // From here on there is an application to kill; before, there is none and never will be.
      synchronized (lock) {
        if (!cancelled) {
          submission.submit();
          submitted = true;
          running = new RunningApplication(conf, yarn, submission.id(), submission.staging());
        }
      }
    } catch (IOException | RuntimeException e) {
      if (!isCancelled()) {
        throw e;
      }
      LOG.info("The submission was interrupted: {}", e.toString());
    } finally {
      if (!submitted) {
        Thread.interrupted(); // the clean-up is to run to its end
        submission.staging().delete();
      }
    }
    return submitted;
  }

  private ExitCode follow(Submission submission)
      throws IOException, YarnException, InterruptedException {
    ApplicationReport report = running.report();
    String trackingUrl = report.getTrackingUrl();
    narrator.tell(submission.event(trackingUrl));
    status.state("SUBMITTED");
    boolean told = false;
    long startDeadline = System.nanoTime() + submission.startupTimeout().toNanos();
    while (!told && !RunningApplication.ended(report)) {
      try (MasterConnection master = running.connect(report)) {
        if (master != null) {
          told = watch(master);
        } else if (startedTooLate(submission.startupTimeout(), startDeadline)) {
          return startupTimedOut(submission);
        } else {
          Thread.sleep(RunningApplication.LOOK_EVERY.toMillis());
        }
      } catch (IOException e) {
        LOG.info("The ApplicationMaster is out of reach, YARN knows more: {}", e.toString());
        Thread.sleep(RunningApplication.LOOK_EVERY.toMillis());
      }
      if (!told) {
        report = running.report();
      }
    }
    if (!told) {
      readTheRest();
      submission.staging().delete();
    }
    return end(submission, trackingUrl);
  }

  private boolean startedTooLate(Duration limit, long deadline) {
    return !limit.isZero() && seen == 0 && System.nanoTime() > deadline;
  }

  private ExitCode startupTimedOut(Submission submission)
      throws IOException, YarnException, InterruptedException {
    running.kill("the client: tony.am.startup-timeout has passed");
    out.println(
        "FAILED (TIMEOUT): the ApplicationMaster did not start within "
            + Durations.text(submission.startupTimeout())
            + " (tony.am.startup-timeout): the queue may be full, see "
            + running.report().getTrackingUrl());
    return ExitCode.TIMEOUT;
  }

  private boolean watch(MasterConnection master) throws IOException {
    while (true) {
      MasterConnection.News news = master.watch(seen);
      for (JobEvent event : news.events()) {
        seen++;
        take(event);
      }
      if (news.finished()) {
        return true;
      }
    }
  }

  private void take(JobEvent event) throws IOException {
    story.add(event);
    narrator.tell(event);
    if (event.type() == JobEvent.Type.GANG_RUNNING) {
      status.state("RUNNING");
    } else if (event.type() == JobEvent.Type.TASK_PROGRESS) {
      OptionalDouble fraction = Progress.fraction(event.detail("text"));
      if (fraction.isPresent()) {
        status.progress(fraction.getAsDouble());
      }
    }
  }

  /** What an ApplicationMaster wrote before it was lost, and could not tell any more. */
  private void readTheRest() {
    try {
      FileSystem fs = FileSystem.get(conf);
      org.apache.hadoop.fs.Path log = eventLog(fs);
      if (fs.exists(log)) {
        for (JobEvent event : EventLog.read(fs, log).stream().skip(seen).toList()) {
          take(event);
        }
      }
    } catch (IOException e) {
      LOG.warn("The event log cannot be read: {}", e.toString());
    }
  }

  private org.apache.hadoop.fs.Path eventLog(FileSystem fs) {
    return EventLog.file(
        new org.apache.hadoop.fs.Path(
            fs.getHomeDirectory(), config.get(ClientOptions.HISTORY_LOCATION)),
        running.id().toString());
  }

  private ExitCode end(Submission submission, String trackingUrl)
      throws IOException, YarnException, InterruptedException {
    JobResult result = story.result();
    if (result == null) {
      result = resultOf(running.report());
    }
    if (result.status() == JobResult.Status.KILLED && !isCancelled()) {
      awaitKill(submission);
    }
    status.state(result.status().name());
    status.message(result.message());
    if (result.status() == JobResult.Status.SUCCEEDED) {
      status.progress(1);
    }
    if (reports.outputFile() != null) {
      String checkpoints = config.find(JobOptions.CHECKPOINT_DIR).orElse("");
      OutputProperties.write(
          OutputProperties.of(running.id().toString(), trackingUrl, result, story, checkpoints),
          reports.outputFile());
    }
    tell(result);
    return isCancelled() ? ExitCode.TERMINATED : ExitCode.of(result);
  }

  /** Somebody else stopped the job; whoever it was has YARN kill it in a moment. */
  private void awaitKill(Submission submission)
      throws IOException, YarnException, InterruptedException {
    while (!RunningApplication.ended(running.report())) {
      Thread.sleep(RunningApplication.LOOK_EVERY.toMillis());
    }
    submission.staging().delete();
  }

  private static JobResult resultOf(ApplicationReport report) {
    String diagnostics = report.getDiagnostics() == null ? "" : report.getDiagnostics().strip();
    if (report.getYarnApplicationState() == YarnApplicationState.KILLED) {
      return JobResult.killed("YARN says: " + diagnostics);
    }
    return JobResult.failed(
        FailureKind.AM_LOST, "the ApplicationMaster was lost. YARN says: " + diagnostics);
  }

  private void tell(JobResult result) {
    String after = " after " + Durations.text(story.duration());
    JobEvent failure = story.failure(result);
    if (result.status() == JobResult.Status.SUCCEEDED) {
      out.println("SUCCEEDED" + after + ": " + result.message());
    } else if (failure == null) {
      out.println(result.status() + after + " (" + result.kind() + "): " + result.message());
    } else {
      if (!failure.detail("stderr").isEmpty()) {
        out.println("The last lines of the stderr of " + result.task() + ":");
        failure.detail("stderr").lines().forEach(line -> out.println("    " + line));
      }
      out.println(
          "FAILED"
              + after
              + " ("
              + result.kind()
              + "): "
              + result.message()
              + ", log "
              + failure.detail("log"));
    }
    out.flush();
  }

  /**
   * Ends the job, at whatever point it is, and returns when that is done: nothing is submitted any
   * more, or YARN shows the application as ended and its processes are gone.
   */
  void cancel(String who) {
    synchronized (lock) {
      if (over.getCount() == 0) {
        return;
      }
      cancelled = true;
      if (running == null && runner != null) {
        runner.interrupt();
      }
    }
    try {
      if (running == null) {
        out.println("stopped before the submission by " + who);
      } else {
        out.println("killing " + running.id() + ", asked by " + who);
        out.flush();
        running.kill(who);
        out.println("KILLED: " + running.id() + " was stopped by " + who);
      }
    } catch (IOException | YarnException e) {
      out.println("whether " + running.id() + " has ended is not known: " + e);
      out.flush();
      // A plain exit in a shutdown hook would keep the code of the signal, which promises an end.
      Runtime.getRuntime().halt(ExitCode.END_UNKNOWN.code());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      cancelOver.countDown();
      out.flush();
    }
    try {
      over.await(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean isCancelled() {
    synchronized (lock) {
      return cancelled;
    }
  }
}
