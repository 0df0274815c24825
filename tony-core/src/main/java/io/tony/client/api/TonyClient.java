package io.tony.client.api;

import io.tony.client.input.InvalidJobException;
import io.tony.client.input.JobFolder;
import io.tony.client.input.JobSources;
import io.tony.client.inspect.ApplicationInspector;
import io.tony.client.login.Login;
import io.tony.client.output.JobLog;
import io.tony.client.submit.JobRun;
import io.tony.client.submit.ReportTargets;
import io.tony.client.submit.Submission;
import io.tony.client.submit.SubmissionClient;
import io.tony.config.TonyConfig;
import io.tony.config.declared.AzkabanOptions;
import io.tony.config.declared.ClientOptions;
import io.tony.config.job.PropertyCheck;
import io.tony.process.Spawner;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.reflect.UndeclaredThrowableException;
import java.security.PrivilegedAction;
import java.security.PrivilegedExceptionAction;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.conf.YarnConfiguration;

/**
 * Submits jobs to a YARN cluster and follows them, any number at a time, as the user as whom it was
 * made. A job goes on when its client is closed, or its JVM ends; {@code
 * tony.application.client-lost-timeout} can say otherwise.
 *
 * <p>The class path has this jar and Hadoop's client. For use by any thread.
 */
public final class TonyClient implements AutoCloseable {
  private final Configuration hadoop;
  private final UserGroupInformation user;
  private final YarnClient yarn;

  private TonyClient(Configuration hadoop, UserGroupInformation user, YarnClient yarn) {
    this.hadoop = hadoop;
    this.user = user;
    this.yarn = yarn;
  }

  /**
   * A client of one cluster.
   *
   * @param hadoop the cluster's {@code core-site.xml}, {@code hdfs-site.xml} and {@code
   *     yarn-site.xml}; {@code new YarnConfiguration()} reads those of the class path
   * @throws IOException where the cluster wants Kerberos and this user has not logged in
   */
  public static TonyClient of(Configuration hadoop) throws IOException {
    UserGroupInformation user = UserGroupInformation.getCurrentUser();
    Login.requireCredentials();
    Configuration own = new YarnConfiguration(hadoop);
    SubmissionClient.prepare(own);
    YarnClient yarn = new SubmissionClient();
    yarn.init(own);
    yarn.start();
    return new TonyClient(own, user, yarn);
  }

  /**
   * Checks a job without submitting it, as {@code tony validate} does.
   *
   * @return what is doubtful about it; empty where nothing is
   * @throws InvalidJobException with all that is wrong
   */
  public List<String> validate(JobRequest request) throws InvalidJobException, IOException {
    JobFolder folder = JobFolder.of(request.folder());
    List<String> warnings = new ArrayList<>(PropertyCheck.warnings(request.options().keySet()));
    TonyConfig config = config(request, folder);
    warnings.addAll(asUser(() -> Submission.prepare(hadoop, yarn, config, folder).warnings()));
    return warnings;
  }

  /** Whoever calls may act as somebody else. */
  private <T> T asUser(PrivilegedExceptionAction<T> action)
      throws InvalidJobException, IOException {
    try {
      return user.doAs(action);
    } catch (UndeclaredThrowableException e) {
      if (e.getCause() instanceof InvalidJobException invalid) {
        throw invalid;
      }
      throw new IOException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted");
    }
  }

  /**
   * Submits a job. Returns when YARN has it, and nothing is left behind where it fails.
   *
   * @throws InvalidJobException with all that is wrong with the job
   */
  public TonyJob submit(JobRequest request, JobListener listener)
      throws InvalidJobException, IOException, InterruptedException {
    JobFolder folder = JobFolder.of(request.folder());
    TonyConfig config = config(request, folder);
    if (config.get(AzkabanOptions.DRY_RUN)) {
      throw new InvalidJobException(
          List.of(AzkabanOptions.DRY_RUN.key() + " submits nothing: call validate instead"));
    }
    PropertyCheck.warnings(request.options().keySet())
        .forEach(warning -> listener.line("warning: " + warning));
    return begin(config, folder, listener, JobRun::run);
  }

  /**
   * Follows a job that was submitted before, by whichever client; told from its beginning.
   *
   * @param application YARN's id of it
   * @throws InvalidJobException where that is none
   */
  public TonyJob follow(String application, JobListener listener)
      throws InvalidJobException, IOException, InterruptedException {
    ApplicationId id = ApplicationInspector.parseId(application);
    JobRequest request = JobRequest.of(Map.of());
    JobFolder folder = JobFolder.of(request.folder());
    return begin(config(request, folder), folder, listener, run -> run.follow(id));
  }

  private TonyConfig config(JobRequest request, JobFolder folder)
      throws InvalidJobException, IOException {
    TonyConfig config =
        asUser(
            () ->
                JobSources.read(
                    new JobSources.JobInputs(Map.of(), request.options(), Map.of()),
                    System.getenv(),
                    folder,
                    hadoop));
    if (config.find(ClientOptions.KEYTAB_USER).isPresent()
        || config.find(ClientOptions.KEYTAB_LOCATION).isPresent()) {
      // It would change as whom the whole JVM acts.
      throw new InvalidJobException(
          List.of(
              "tony.keytab.user and tony.keytab.location are for the command line: log in before"
                  + " the client is made, and leave them out"));
    }
    return config;
  }

  private TonyJob begin(
      TonyConfig config, JobFolder folder, JobListener listener, TonyJob.RunAction action)
      throws InvalidJobException, IOException, InterruptedException {
    TonyJob job = new TonyJob(user);
    JobLog log =
        new JobLog(
            new LineStream(listener::line),
            event -> {
              try {
                listener.event(event);
              } finally {
                job.onEvent(event);
              }
            });
    ReportTargets reports = new ReportTargets(null, null, true, false);
    JobRun run = new JobRun(hadoop, yarn, Login.ofProcess(), config, folder, reports, log);
    Spawner.SYSTEM.startThread(
        "tony-job",
        () ->
            user.doAs(
                (PrivilegedAction<Void>)
                    () -> {
                      job.follow(run, action);
                      return null;
                    }));
    return job.submitted();
  }

  /** Jobs that are still followed cannot be told to their end any more, and go on. */
  @Override
  public void close() {
    yarn.stop();
  }
}
