package io.tony.client.submit;

import io.tony.client.application.YarnLookup;
import io.tony.client.check.JobCheck;
import io.tony.client.input.FileCheck;
import io.tony.client.input.InvalidJobException;
import io.tony.client.input.JobFolder;
import io.tony.client.login.JobTokens;
import io.tony.client.narrate.Narrator;
import io.tony.config.TonyConfig;
import io.tony.config.declared.ClientOptions;
import io.tony.config.declared.JobOptions;
import io.tony.container.HistoryLocation;
import io.tony.container.Staging;
import io.tony.container.YarnResources;
import io.tony.event.JobFact;
import io.tony.model.JobEvent;
import io.tony.model.JobSpec;
import io.tony.protocol.JobKey;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.client.api.YarnClientApplication;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Submits a job to YARN, in steps: {@link #prepare} checks everything and leaves nothing on the
 * cluster, {@link #stage} uploads the files, and {@link #submit} submits the application.
 */
public final class Submission {
  private static final Logger LOG = LoggerFactory.getLogger(Submission.class);

  /** Value with which YARN reports a missing tracking URL. */
  private static final String NO_PAGE = "N/A";

  private final Configuration conf;
  private final YarnClient yarn;
  private final TonyConfig config;
  private final JobFolder folder;
  private final YarnClientApplication application;
  private final JobSpec job;
  private final List<String> warnings;
  private Optional<UploadCache> cache = Optional.empty();
  private Optional<String> checkpointFolder = Optional.empty();

  private Submission(
      Configuration conf,
      YarnClient yarn,
      TonyConfig config,
      JobFolder folder,
      YarnClientApplication application,
      JobSpec job,
      List<String> warnings) {
    this.conf = conf;
    this.yarn = yarn;
    this.config = config;
    this.folder = folder;
    this.application = application;
    this.job = job;
    this.warnings = warnings;
  }

  /**
   * Checks a job against the options, the local files and the cluster. Changes nothing in YARN or
   * HDFS, except that YARN reserves an application id.
   *
   * @throws InvalidJobException with all problems found, each with its remedy
   */
  public static Submission prepare(
      Configuration conf, YarnClient yarn, TonyConfig config, JobFolder folder)
      throws InvalidJobException, IOException, YarnException {
    JobCheck check = JobCheck.of(config);
    FileCheck files = new FileCheck(config, check.job(), folder);
    files.checkLocal();
    files.checkRemote(conf);
    check.addErrors(files.refusals());
    check.addErrors(files.unusableFiles());
    files.warnings().forEach(check::addWarning);
    ApplicationTags.Surplus.of(config, conf)
        .ifPresent(
            tags -> {
              if (tags.certain()) {
                check.addErrors(List.of(tags.message()));
              } else {
                check.addWarning(tags.message());
              }
            });
    YarnResources.registerTypes(yarn.getResourceTypeInfo());
    YarnClientApplication application = yarn.createApplication();
    check.checkCluster(
        yarn, application.getNewApplicationResponse().getMaximumResourceCapability());
    if (!check.errors().isEmpty()) {
      throw new InvalidJobException(check.errors());
    }
    return new Submission(conf, yarn, config, folder, application, check.job(), check.warnings());
  }

  /**
   * Checks a job against the options and the local files only, without the cluster.
   *
   * @throws InvalidJobException with all problems found, each with its remedy
   */
  public static JobCheck checkOffline(TonyConfig config, JobFolder folder)
      throws InvalidJobException {
    JobCheck check = JobCheck.of(config);
    FileCheck files = new FileCheck(config, check.job(), folder);
    files.checkLocal();
    check.addErrors(files.refusals());
    check.addErrors(files.unusableFiles());
    if (!check.errors().isEmpty()) {
      throw new InvalidJobException(check.errors());
    }
    return check;
  }

  ApplicationId id() {
    return application.getApplicationSubmissionContext().getApplicationId();
  }

  /**
   * Returns the hashes of the job's specification, see {@link Specification}. Reads the job's local
   * files.
   */
  List<String> specificationHashes() throws IOException {
    return Specification.hashes(config, job, folder, conf);
  }

  /** Returns the message that the job is valid, for a check without submission. */
  public String validationMessage() {
    return JobCheck.validMessage(job.name(), job);
  }

  public List<String> warnings() {
    return warnings;
  }

  Staging staging() throws IOException {
    return new Staging(
        FileSystem.get(conf), config.get(ClientOptions.STAGING_LOCATION), id().toString());
  }

  /**
   * Creates the job's staging folder. All files that the submission leaves on the cluster are in
   * this folder, except the cached ones.
   */
  void createStaging() throws IOException {
    staging().create();
  }

  /**
   * Uploads the job's files to the staging folder and fills in the submission context. The caller
   * must delete the staging folder if this method fails.
   *
   * @param jar the jar with TonY, for the containers
   * @return how many files were uploaded
   */
  Shipment stage(Path jar) throws IOException {
    Staging staging = staging();
    cache =
        UploadCache.open(
            staging.fileSystem(),
            config.get(ClientOptions.CACHE_LOCATION),
            config.get(ClientOptions.CACHE_KEEP),
            InstantSource.system());
    Upload upload = new Upload(staging, cache, folder, conf);
    String checkpointUri = checkpointFolder();
    CheckpointLocation.restrictAccess(staging.fileSystem(), checkpointUri);
    TonyConfig submittedConfig =
        upload.run(config, job, jar, Map.of(JobOptions.CHECKPOINT_DIR.key(), checkpointUri));
    JobKey key = JobKey.random(id().toString());
    Credentials credentials = new Credentials();
    key.putInto(credentials);
    staging.writeCredentials(credentials);
    if (UserGroupInformation.isSecurityEnabled()) {
      credentials.addAll(new JobTokens(conf, config, job, folder).obtainForApplication());
      // The tokens that were given to this client may also be used by other jobs, so YARN must
      // not cancel them at the end of this job.
      application
          .getApplicationSubmissionContext()
          .setCancelTokensWhenComplete(UserGroupInformation.getCurrentUser().getTokens().isEmpty());
    }
    ApplicationRequest.fill(
        application.getApplicationSubmissionContext(),
        conf,
        submittedConfig,
        job,
        staging,
        credentials);
    return upload.shipment();
  }

  /**
   * Prints that YARN has accepted the application, with its tracking URL. If the URL cannot be
   * read, that is only logged.
   */
  void narrateSubmission(Narrator narrator) {
    String page = NO_PAGE;
    try {
      page = yarn.getApplicationReport(id()).getTrackingUrl();
    } catch (IOException | YarnException | RuntimeException e) {
      LOG.warn("Whether {} is there is seen next: {}", id(), e.toString());
    }
    narrator.narrate(submittedEvent(id(), config.get(JobOptions.QUEUE), page));
  }

  /**
   * Deletes staging folders, event logs and cached files of this user's earlier jobs that no job
   * needs any more. Failures are only logged.
   */
  void sweep() {
    try {
      Staging own = staging();
      StagingCleanup.of(yarn).sweep(own);
      cache.ifPresent(copies -> copies.sweep(own));
      FileSystem fs = FileSystem.get(conf);
      new HistoryCleanup(
              fs,
              HistoryLocation.ofCurrentUser(fs, config),
              config.get(ClientOptions.HISTORY_RETENTION),
              UserGroupInformation.getCurrentUser().getShortUserName(),
              YarnLookup.of(yarn),
              InstantSource.system())
          .sweep();
    } catch (IOException | RuntimeException e) {
      LOG.warn("What earlier jobs have left stays: {}", e.toString());
    }
  }

  /** Sets the job's checkpoint folder; it overrides the one in the options. */
  void setCheckpointFolder(String uri) {
    checkpointFolder = Optional.of(uri);
  }

  /** Returns the job's options, with the checkpoint folder that the job will use. */
  TonyConfig resolvedConfig() throws IOException {
    return config.with(
        "TonY's client", Map.of(JobOptions.CHECKPOINT_DIR.key(), checkpointFolder()));
  }

  /** Returns the checkpoint folder that the job will use. */
  private String checkpointFolder() throws IOException {
    return checkpointFolder.isPresent()
        ? checkpointFolder.get()
        : CheckpointLocation.uri(FileSystem.get(conf), config, id().toString());
  }

  /** Submits the application to YARN; returns when YARN has accepted it. */
  void submit() throws IOException, YarnException {
    yarn.submitApplication(application.getApplicationSubmissionContext());
  }

  /**
   * Returns the event {@code JOB_SUBMITTED} of an application that this or another client has
   * submitted, with the present time.
   */
  static JobEvent submittedEvent(ApplicationId application, String queue, String trackingUrl) {
    return new JobFact.Submitted(application.toString(), queue, trackingUrl)
        .toEvent(Instant.now(), 0);
  }
}
