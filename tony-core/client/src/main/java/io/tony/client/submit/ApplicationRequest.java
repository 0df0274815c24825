package io.tony.client.submit;

import io.tony.am.AmMain;
import io.tony.config.TonyConfig;
import io.tony.config.declared.AmOptions;
import io.tony.config.declared.ClientOptions;
import io.tony.config.declared.JobOptions;
import io.tony.config.declared.ProgramOptions;
import io.tony.config.declared.TaskOptions;
import io.tony.container.AccessLists;
import io.tony.container.ContainerFiles;
import io.tony.container.JvmCommand;
import io.tony.container.MasterRequest;
import io.tony.container.Staging;
import io.tony.container.Submitter;
import io.tony.container.YarnResources;
import io.tony.model.JobLimits;
import io.tony.model.JobSpec;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.yarn.api.ApplicationConstants.Environment;
import org.apache.hadoop.yarn.api.records.ApplicationSubmissionContext;
import org.apache.hadoop.yarn.api.records.ContainerLaunchContext;
import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.api.records.ResourceRequest;

/**
 * Fills in YARN's submission context for one application: name, queue, resources, tags and the
 * command that starts the ApplicationMaster.
 */
public final class ApplicationRequest {
  private static final String HADOOP_ADD_OPENS = "--add-opens=java.base/java.lang=ALL-UNNAMED";

  /** Heap of the ApplicationMaster's JVM, as a fraction of its container's memory. */
  private static final double HEAP_SHARE = 0.75;

  private ApplicationRequest() {}

  static void fill(
      ApplicationSubmissionContext request,
      Configuration conf,
      TonyConfig config,
      JobSpec job,
      Staging staging,
      Credentials credentials)
      throws IOException {
    request.setApplicationName(job.name());
    request.setApplicationType(config.get(JobOptions.TYPE));
    request.setQueue(config.get(JobOptions.QUEUE));
    request.setResource(YarnResources.of(MasterRequest.resource(config)));
    placeMaster(request, config);
    setAttempts(request, config.get(AmOptions.MAX_ATTEMPTS));
    request.setApplicationTags(ApplicationTags.of(config, System.getenv()));
    request.setAMContainerSpec(masterContext(conf, config, staging, credentials));
  }

  /**
   * Sets the node labels of the application and of its ApplicationMaster. The application's label
   * applies to the ApplicationMaster and to all tasks, because TonY's requests for task containers
   * cannot contain a label. A different label for the ApplicationMaster requires a complete
   * resource request for the ApplicationMaster in the submission context.
   */
  private static void placeMaster(ApplicationSubmissionContext request, TonyConfig config) {
    String all = MasterRequest.applicationLabel(config);
    if (!all.isEmpty()) {
      request.setNodeLabelExpression(all);
    }
    String own = MasterRequest.label(config);
    if (!own.isEmpty()) {
      request.setAMContainerResourceRequests(
          List.of(
              ResourceRequest.newBuilder()
                  .priority(Priority.newInstance(0))
                  .resourceName(ResourceRequest.ANY)
                  .capability(YarnResources.of(MasterRequest.resource(config)))
                  .numContainers(1)
                  .nodeLabelExpression(own)
                  .build()));
    }
  }

  /**
   * Sets how many ApplicationMaster attempts YARN may make. If that is more than one, the task
   * containers keep running while YARN starts the next ApplicationMaster, and YARN counts only
   * failures within the validity interval, so that occasional node failures do not end a job of
   * several weeks.
   */
  private static void setAttempts(ApplicationSubmissionContext request, int maxAttempts) {
    request.setMaxAppAttempts(maxAttempts);
    if (maxAttempts > 1) {
      request.setKeepContainersAcrossApplicationAttempts(true);
      request.setAttemptFailuresValidityInterval(
          JobLimits.AM_FAILURES_VALIDITY_INTERVAL.toMillis());
    }
  }

  private static ContainerLaunchContext masterContext(
      Configuration conf, TonyConfig config, Staging staging, Credentials credentials)
      throws IOException {
    ContainerFiles files =
        new ContainerFiles(conf)
            .addTonyJar(new Path(config.get(ClientOptions.JAR)), staging)
            .addJava(config)
            .addJarsOf(config.get(ProgramOptions.HDFS_CLASSPATH))
            .addFile(staging.config(), Staging.CONFIG_FILE);
    String command =
        JvmCommand.of(
            config,
            (long) (config.get(AmOptions.MEMORY) * HEAP_SHARE),
            HADOOP_ADD_OPENS
                + " "
                + config.get(TaskOptions.DEFAULT_JVM_OPTS)
                + " "
                + config.get(TaskOptions.AM_JVM_OPTS),
            AmMain.class,
            "am.log");
    Map<String, String> environment = new HashMap<>(Submitter.environment());
    environment.put(Environment.CLASSPATH.name(), files.classPath());
    ContainerLaunchContext context =
        ContainerLaunchContext.newInstance(
            files.asMap(),
            environment,
            List.of(command),
            null,
            Staging.forContainer(credentials),
            null);
    AccessLists.applyTo(context, config);
    return context;
  }

  /**
   * Returns the tag that all attempts of one job in one Azkaban execution have and no other job
   * has, even if the readable tags of two jobs are equal; empty if the job does not run in Azkaban.
   */
  static Optional<String> identityTag(TonyConfig config) {
    return ApplicationTags.identity(config);
  }

  /**
   * Returns the tag that all executions of one step of a flow have and no other step has; empty if
   * the job does not run in Azkaban.
   */
  static Optional<String> stepTag(TonyConfig config) {
    return ApplicationTags.step(config);
  }
}
