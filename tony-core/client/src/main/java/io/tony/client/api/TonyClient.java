package io.tony.client.api;

import io.tony.client.input.InvalidJobException;
import io.tony.client.input.JobFolder;
import io.tony.client.input.JobSources;
import io.tony.client.inspect.ApplicationView;
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
 * Submits jobs to a YARN cluster and follows them, any number at a time, as the Hadoop user who
 * created the client. Jobs continue when the client is closed or its JVM ends. Only if {@code
 * tony.application.client-lost-timeout} is set, a job is stopped when no client has followed it for
 * that time. TonY's jar and Hadoop's client must be on the class path. Thread-safe. Arguments must
 * not be null.
 *
 * <p>Example:
 *
 * <pre>{@code
 * try (TonyClient tony = TonyClient.of(new YarnConfiguration())) {
 *   JobRequest request =
 *       new JobRequest(
 *           Map.of("tony.worker.instances", "2", "executes", "train.py", "src_dir", "src"),
 *           Path.of("/home/me/job"));
 *   TonyJob job = tony.submit(request, JobListener.NONE);
 *   JobResult result = job.await();
 * }
 * }</pre>
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
   * Connects to a cluster as the current Hadoop user. The caller must close the client.
   *
   * @param hadoop the cluster's configuration, which is copied: that of {@code core-site.xml},
   *     {@code hdfs-site.xml} and {@code yarn-site.xml}; {@code new YarnConfiguration()} reads
   *     these files from the class path
   * @throws IOException if the cluster requires Kerberos and this user has not logged in
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
   * Checks a job without submitting it, like {@code tony validate}.
   *
   * @return warnings; empty if there are none
   * @throws InvalidJobException with all problems of the job
   * @throws IOException if YARN or HDFS does not answer, or the thread is interrupted
   */
  public List<String> validate(JobRequest request) throws InvalidJobException, IOException {
    JobFolder folder = JobFolder.of(request.folder());
    List<String> warnings = new ArrayList<>(PropertyCheck.warnings(request.options().keySet()));
    TonyConfig config = config(request, folder);
    warnings.addAll(asUser(() -> Submission.prepare(hadoop, yarn, config, folder).warnings()));
    return warnings;
  }

  /**
   * Runs an action as the user who created this client, even if the calling thread acts as another
   * user.
   */
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
   * Submits a job and follows it in a background thread. Returns when YARN has accepted the job. A
   * submission that fails leaves nothing on the cluster.
   *
   * @param listener receives events and lines; {@link JobListener#NONE} for none
   * @throws InvalidJobException with all problems of the job
   * @throws IOException if YARN or HDFS fails
   * @throws InterruptedException if the thread is interrupted while it waits; the submission
   *     continues
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
   * Follows a job that this or another client submitted before, in a background thread. The
   * listener receives all events from the beginning of the job.
   *
   * @param application YARN's id of the application
   * @param listener receives events and lines; {@link JobListener#NONE} for none
   * @throws InvalidJobException if {@code application} is not an application id
   * @throws IOException if YARN does not know the application, or YARN or HDFS fails
   * @throws InterruptedException if the thread is interrupted while it waits; the background thread
   *     continues to follow the job
   */
  public TonyJob follow(String application, JobListener listener)
      throws InvalidJobException, IOException, InterruptedException {
    ApplicationId id = ApplicationView.parseId(application);
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
      // A login with a keytab would change the user of the whole JVM.
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

  /**
   * Closes the connection to YARN. Jobs continue, but the futures of jobs that this client still
   * follows may complete exceptionally.
   */
  @Override
  public void close() {
    yarn.stop();
  }
}
