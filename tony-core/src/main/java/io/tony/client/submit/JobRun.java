package io.tony.client.submit;

import io.tony.client.follow.ExitCode;
import io.tony.client.follow.Following;
import io.tony.client.follow.Narrator;
import io.tony.client.follow.OutputProperties;
import io.tony.client.follow.RunningApplication;
import io.tony.client.follow.StatusFile;
import io.tony.client.source.InvalidJobException;
import io.tony.config.TonyConfig;
import io.tony.config.declared.AzkabanOptions;
import io.tony.config.declared.ClientOptions;
import io.tony.config.declared.JobOptions;
import io.tony.config.declared.TaskOptions;
import io.tony.container.Staging;
import io.tony.model.JobResult;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
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
   * How long a cancel waits for YARN to tell what an earlier attempt left, and to take what is
   * being submitted, before it kills by id.
   */
  private static final long YARN_LIMIT_SECONDS = 10;

  private final Configuration conf;
  private final YarnClient yarn;
  private final TonyConfig config;
  private final Path workingDirectory;
  private final Reports reports;
  private final PrintStream out;
  private final StatusFile status;
  private final Narrator narrator;

  private final Object lock = new Object();
  private final CountDownLatch over = new CountDownLatch(1);
  private final CountDownLatch cancelOver = new CountDownLatch(1);
  private final CountDownLatch attachOver = new CountDownLatch(1);
  private final CountDownLatch submissionOver = new CountDownLatch(1);
  private Thread runner;
  private boolean cancelled;
  private boolean interruptible;
  private RunningApplication running;

  public JobRun(
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
  public ExitCode run()
      throws InvalidJobException, IOException, YarnException, InterruptedException {
    synchronized (lock) {
      runner = Thread.currentThread();
    }
    try {
      if (!attached()) {
        Submission submission = Submission.prepare(conf, yarn, config, workingDirectory);
        submission.warnings().forEach(warning -> out.println("warning: " + warning));
        if (config.get(AzkabanOptions.DRY_RUN)) {
          out.println(submission.valid() + "; a dry run submits nothing");
          return ExitCode.SUCCEEDED;
        }
        if (!submitted(submission)) {
          return ExitCode.TERMINATED;
        }
        narrator.tell(
            Submission.event(
                submission.id(), config.get(JobOptions.QUEUE), running.report().getTrackingUrl()));
        status.state("SUBMITTED");
        submission.sweep(); // YARN starts the job meanwhile
      }
      return follow();
    } finally {
      over.countDown();
      if (isCancelled()) {
        cancelOver.await();
      }
    }
  }

  /** False when the job was cancelled before: then nothing was submitted, and nothing will be. */
  private boolean submitted(Submission submission)
      throws IOException, YarnException, InterruptedException {
    RunningApplication application = application(submission.id());
    if (!staged(submission, application)) {
      return false;
    }
    try {
      submission.submit();
      return true;
    } catch (IOException | YarnException | RuntimeException e) {
      // YARN may have taken the application, and only its answer was lost.
      application.killIfThere();
      throw e;
    } finally {
      submissionOver.countDown();
    }
  }

  private boolean staged(Submission submission, RunningApplication application) throws IOException {
    boolean staged = false;
    try {
      submission.createStaging();
      synchronized (lock) {
        interruptible = true;
        if (cancelled) {
          return false;
        }
      }
      Shipment shipment = submission.stage();
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
        Thread.interrupted(); // the clean-up is to run to its end
        application.deleteStaging();
      }
    }
    return staged;
  }

  private boolean attached()
      throws InvalidJobException, IOException, YarnException, InterruptedException {
    try {
      return attachedToExisting();
    } finally {
      attachOver.countDown();
    }
  }

  /** Follows what an earlier attempt of the same job left running, as the user wants it. */
  private boolean attachedToExisting()
      throws InvalidJobException, IOException, YarnException, InterruptedException {
    Optional<ApplicationId> existing = ExistingApplications.find(yarn, config);
    if (existing.isEmpty() || config.get(AzkabanOptions.DRY_RUN)) {
      return false;
    }
    RunningApplication application = application(existing.get());
    String what = existing.get() + " of an earlier attempt of this job is still alive";
    return switch (config.get(AzkabanOptions.ON_EXISTING)) {
      case ATTACH -> {
        synchronized (lock) {
          running = application;
          submissionOver.countDown();
        }
        status.application(existing.get().toString());
        ApplicationReport report = application.report();
        narrator.tellPrograms(
            Submission.event(existing.get(), report.getQueue(), report.getTrackingUrl()));
        out.println(what + "; this attempt follows it: " + report.getTrackingUrl());
        yield true;
      }
      case KILL -> {
        // Should this process not live to the end of it, whoever started it kills that, too.
        status.application(existing.get().toString());
        out.println(what + "; it is killed first");
        application.kill("a later attempt of the same job");
        yield false;
      }
      case FAIL -> throw ExistingApplications.inTheWay(what, existing.get());
    };
  }

  private RunningApplication application(ApplicationId id) throws IOException {
    return new RunningApplication(
        conf,
        yarn,
        id,
        new Staging(
            FileSystem.get(conf), config.get(ClientOptions.STAGING_LOCATION), id.toString()),
        config.get(TaskOptions.STOP_GRACE));
  }

  private ExitCode follow() throws IOException, YarnException, InterruptedException {
    Following following = new Following(conf, config, running, out, status, narrator);
    JobResult result = following.toTheEnd();
    if (result.status() == JobResult.Status.KILLED && !isCancelled()) {
      running.awaitEnd(); // whoever stopped the job has YARN kill it in a moment
    }
    status.ended(result);
    if (reports.outputFile() != null) {
      String id = running.id().toString();
      OutputProperties.of(
              id,
              running.report().getTrackingUrl(),
              result,
              following.story(),
              Checkpoints.folder(FileSystem.get(conf), config, id))
          .write(reports.outputFile());
    }
    following.tell(result);
    return isCancelled() ? ExitCode.TERMINATED : ExitCode.of(result);
  }

  /**
   * Ends the job, at whatever point it is, and returns when that is done: nothing is submitted any
   * more, or YARN shows the application as ended and its processes are gone.
   *
   * @return false when whether it has ended cannot be told
   */
  public boolean cancel(String who) {
    synchronized (lock) {
      if (over.getCount() == 0) {
        return true;
      }
      cancelled = true;
      if (running == null && interruptible) {
        runner.interrupt();
      }
    }
    try {
      // What an earlier attempt left may be found only now; then that is killed.
      if (running == null && !attachOver.await(YARN_LIMIT_SECONDS, TimeUnit.SECONDS)) {
        out.println(
            "whether an application of an earlier attempt has ended is not known within "
                + YARN_LIMIT_SECONDS
                + " s: yarn application -list -appTags "
                + ApplicationRequest.identityTag(config).orElse(""));
        return false;
      }
      if (running == null) {
        out.println("stopped before the submission by " + who);
      } else {
        out.println("killing " + running.id() + ", asked by " + who);
        out.flush();
        submissionOver.await(YARN_LIMIT_SECONDS, TimeUnit.SECONDS);
        running.kill(who);
        out.println("KILLED: " + running.id() + " was stopped by " + who);
      }
    } catch (IOException | YarnException e) {
      out.println("whether " + running.id() + " has ended is not known: " + e);
      return false;
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
    return true;
  }

  private boolean isCancelled() {
    synchronized (lock) {
      return cancelled;
    }
  }
}
