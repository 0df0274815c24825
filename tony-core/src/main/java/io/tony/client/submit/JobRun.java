package io.tony.client.submit;

import io.tony.client.follow.ExitCode;
import io.tony.client.follow.JobLog;
import io.tony.client.follow.Narrator;
import io.tony.client.follow.Refusal;
import io.tony.client.follow.RunningApplication;
import io.tony.client.follow.StartLimit;
import io.tony.client.follow.StatusFile;
import io.tony.client.login.Login;
import io.tony.client.source.InvalidJobException;
import io.tony.client.source.JobFolder;
import io.tony.config.TonyConfig;
import io.tony.config.declared.AzkabanOptions;
import io.tony.config.declared.JobOptions;
import io.tony.config.declared.TaskOptions;
import io.tony.container.JvmStartFailure;
import io.tony.model.FailureKind;
import io.tony.model.JobResult;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One job from its submission to its end, told as it goes. {@link #cancel} may come from another
 * thread at any moment; whatever was begun by then is undone.
 */
public final class JobRun {
  private static final Logger LOG = LoggerFactory.getLogger(JobRun.class);

  /**
   * How long a cancel waits for YARN's answer to a search or a submission before it kills by id.
   */
  private static final long YARN_LIMIT_SECONDS = 10;

  private final Configuration conf;
  private final YarnClient yarn;
  private final Login login;
  private final TonyConfig config;
  private final JobFolder folder;
  private final Reports reports;
  private final JobLog out;
  private final StatusFile status;
  private final Narrator narrator;
  private final ExistingApplications existing;

  private final Object lock = new Object();
  private final CountDownLatch over = new CountDownLatch(1);
  private final CountDownLatch cancelOver = new CountDownLatch(1);
  private final CountDownLatch attachOver = new CountDownLatch(1);
  private final CountDownLatch submissionOver = new CountDownLatch(1);
  private Supplier<Path> jar = ProgramJar::path;
  private Thread runner;
  private volatile boolean watching;
  private boolean cancelled;
  private boolean interruptible;
  private boolean onCluster;
  private boolean abandoned;
  private volatile RunningApplication running;
  private TonyConfig followed; // of an application that another client has submitted: its own
  private StartLimit startLimit = StartLimit.NONE;
  private Cleanup cleanup; // null before this client has submitted

  public JobRun(
      Configuration conf,
      YarnClient yarn,
      Login login,
      TonyConfig config,
      JobFolder folder,
      Reports reports,
      JobLog out) {
    this.conf = conf;
    this.yarn = yarn;
    this.login = login;
    this.config = config;
    this.followed = config;
    this.folder = folder;
    this.reports = reports;
    this.out = out;
    this.status = new StatusFile(reports.statusFile());
    status.stopGrace(config.get(TaskOptions.STOP_GRACE));
    this.narrator = new Narrator(out, reports.machineLines(), reports.verbose());
    this.existing = new ExistingApplications(conf, yarn, config, status, out);
  }

  /**
   * Submits the job and follows it.
   *
   * @throws InvalidJobException when it cannot be submitted as it is
   */
  public ExitCode run()
      throws InvalidJobException, IOException, YarnException, InterruptedException {
    synchronized (lock) {
      runner = Thread.currentThread();
    }
    try {
      boolean attached =
          !config.get(AzkabanOptions.DRY_RUN) && attached(existing.ofThisExecution());
      attachOver.countDown();
      if (!attached) {
        Submission submission = Submission.prepare(conf, yarn, config, folder);
        submission.warnings().forEach(warning -> out.println("warning: " + warning));
        if (config.get(AzkabanOptions.DRY_RUN)) {
          out.println(submission.valid() + "; a dry run submits nothing");
          return ExitCode.SUCCEEDED;
        }
        boolean adopted = goesOn(true) && attached(existing.insteadOf(submission));
        if (!adopted) {
          followed = submission.settled();
          if (!submitted(submission)) {
            return ExitCode.TERMINATED;
          }
        }
      }
      return follow();
    } finally {
      leave();
    }
  }

  /** Has the cluster run this jar instead of the one that this client runs from. */
  JobRun withJar(Path other) {
    jar = () -> other;
    return this;
  }

  /** Makes this a client that only looks on: its end is not the application's. */
  public JobRun watching() {
    watching = true;
    return this;
  }

  /** Follows an application that another client has submitted, as if that had been this one. */
  public ExitCode follow(ApplicationId id) throws IOException, YarnException, InterruptedException {
    try {
      attached(Optional.of(id));
      attachOver.countDown();
      if (watching) {
        startLimit = StartLimit.NONE;
      }
      if (watching && !RunningApplication.ended(running.report())) {
        out.println(id + " goes on when you leave with Ctrl-C; to end it: tony kill " + id);
      }
      return follow();
    } finally {
      leave();
    }
  }

  private ExitCode follow() throws InterruptedException {
    synchronized (lock) {
      onCluster = true;
    }
    return new FollowedApplication(
            conf, login, folder, followed, running, reports, out, status, narrator)
        .toTheEnd(startLimit, this::isCancelled);
  }

  private void leave() throws InterruptedException {
    attachOver.countDown();
    over.countDown();
    if (isCancelled()) {
      cancelOver.await();
    } else if (cleanup != null) {
      cleanup.end();
    }
  }

  /** False when the job was cancelled before: then nothing was submitted, and nothing will be. */
  private boolean submitted(Submission submission)
      throws InvalidJobException, IOException, YarnException, InterruptedException {
    RunningApplication application = RunningApplication.of(conf, yarn, config, submission.id());
    if (!staged(submission, application)) {
      return false;
    }
    synchronized (lock) {
      if (abandoned) {
        throw new InterruptedException("YARN did not answer in time");
      }
      onCluster = true;
    }
    handOver(submission, application);
    startLimit = StartLimit.of(followed, Duration.ZERO);
    status.state("SUBMITTED");
    submission.tell(narrator);
    out.tellAll(); // its page leads to it from now on
    cleanup = Cleanup.begin(submission::sweep);
    return true;
  }

  /** Has YARN take the application, or not at all. */
  void handOver(Submission submission, RunningApplication application)
      throws InvalidJobException, IOException, YarnException {
    try {
      submission.submit();
    } catch (IOException | YarnException | RuntimeException e) {
      // YARN may have taken the application, and only its answer was lost.
      if (application.killIfThere()) {
        status.ended(JobResult.failed(FailureKind.LOST, "YARN did not take the application"));
      }
      var noStart = JvmStartFailure.ofMaster(config, String.valueOf(e.getMessage()));
      if (noStart.isPresent()) {
        throw new InvalidJobException(List.of(noStart.get().sentence()));
      }
      throw e;
    } finally {
      submissionOver.countDown();
    }
  }

  private boolean staged(Submission submission, RunningApplication application) throws IOException {
    boolean staged = false;
    try {
      // A folder whose making is interrupted may appear after its deletion.
      if (goesOn(false)) {
        submission.createStaging();
      }
      if (!goesOn(true)) {
        return false;
      }
      Shipment shipment = submission.stage(jar.get());
      synchronized (lock) {
        staged = !cancelled;
        if (staged) {
          running = application; // from here on, a cancel kills it
          // Whoever started this client can kill it by its id, should this process not live.
          status.application(submission.id().toString());
          out.println(shipment);
        }
      }
    } catch (IOException | RuntimeException e) {
      if (!isCancelled()) {
        throw e;
      }
      LOG.info("The submission was interrupted: {}", e.toString());
    } finally {
      if (!staged) {
        goesOn(false);
        Thread.interrupted(); // the clean-up is to run to its end
        application.deleteStaging();
      }
    }
    return staged;
  }

  /** False when the job was cancelled before; otherwise a cancel may interrupt what comes next. */
  private boolean goesOn(boolean mayBeInterrupted) {
    synchronized (lock) {
      interruptible = mayBeInterrupted && !cancelled;
      return !cancelled;
    }
  }

  /** From here on, a cancel kills it; false when one came before, or there is none. */
  private boolean attached(Optional<ApplicationId> existing) throws IOException, YarnException {
    if (existing.isEmpty()) {
      return false;
    }
    RunningApplication application = RunningApplication.of(conf, yarn, config, existing.get());
    synchronized (lock) {
      if (cancelled && interruptible) {
        return false;
      }
      interruptible = false;
      running = application;
      submissionOver.countDown();
    }
    status.application(application.id().toString());
    status.stopGrace(application.stopGrace());
    ApplicationReport report = application.report();
    followed = application.configuration().orElseGet(() -> asItEnded(report));
    startLimit = StartLimit.of(followed, age(report));
    narrator.tellPrograms(
        Submission.event(application.id(), report.getQueue(), report.getTrackingUrl()));
    return true;
  }

  /** How long ago YARN took the application; the clocks of client and YARN may differ a little. */
  private static Duration age(ApplicationReport report) {
    Duration age = Duration.ofMillis(System.currentTimeMillis() - report.getStartTime());
    return report.getStartTime() <= 0 || age.isNegative() ? Duration.ZERO : age;
  }

  /** The present options, with the checkpoint folder of an application that left no others. */
  private TonyConfig asItEnded(ApplicationReport report) {
    return EndedRun.begin(conf, config, report)
        .checkpoints()
        .map(folder -> config.with("event log", Map.of(JobOptions.CHECKPOINT_DIR.key(), folder)))
        .orElse(config);
  }

  /**
   * Ends the job, at whatever point it is, and returns when that is done: nothing is submitted any
   * more, or YARN shows the application as ended and its ApplicationMaster's process is gone. A
   * client that only looks on ends nothing.
   *
   * @return false when whether it has ended cannot be told
   */
  public boolean cancel(String who) {
    synchronized (lock) {
      if (over.getCount() == 0) {
        return true;
      }
      cancelled = !watching;
    }
    if (watching) {
      out.println(name() + " goes on without this client");
      out.tellAll();
      return false;
    }
    try {
      // What an earlier attempt left may be found only now; then that is killed.
      if (running == null && !attachOver.await(YARN_LIMIT_SECONDS, TimeUnit.SECONDS)) {
        out.println(ExistingApplications.unknown(config, YARN_LIMIT_SECONDS));
        return false;
      }
      if (running == null) {
        out.println("stopped before the submission by " + who);
        existing.left().ifPresent(out::println);
      } else {
        out.println("killing " + running.id() + ", asked by " + who);
        out.flush();
        submissionOver.await(YARN_LIMIT_SECONDS, TimeUnit.SECONDS);
        running.kill(who, out);
        out.tellAll();
        out.println("KILLED: " + running.id() + " was stopped by " + who);
      }
    } catch (IOException | YarnException | RuntimeException | Error e) {
      out.println("whether " + name() + " has ended is not known: " + Refusal.sentence(e));
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      cancelOver.countDown();
      out.tellAll();
    }
    try {
      // HDFS's client goes on after one interruption where it waits for a file to be complete.
      for (int i = 0; i < 100 && over.getCount() > 0; i++) {
        synchronized (lock) {
          if (running == null && interruptible) {
            runner.interrupt();
          }
        }
        over.await(100, TimeUnit.MILLISECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    out.tellAll(); // of a follower that ends with this process
    return true;
  }

  private String name() {
    return running == null ? "the application" : running.id().toString();
  }

  /**
   * Keeps the job from being submitted any more, for a process that is about to end.
   *
   * @return false where YARN may have the application: from then on, an outage is ridden out
   */
  public boolean abandon() {
    synchronized (lock) {
      abandoned = !onCluster;
      return abandoned;
    }
  }

  /** The application, once its files are staged. */
  public Optional<RunningApplication> application() {
    return Optional.ofNullable(running);
  }

  private boolean isCancelled() {
    synchronized (lock) {
      return cancelled;
    }
  }
}
