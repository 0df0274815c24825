package io.tony.client.local;

import io.tony.container.JvmCommand;
import io.tony.container.JvmStartFailure;
import io.tony.container.YarnResources;
import io.tony.container.local.LocalApplication;
import io.tony.container.local.LocalApplication.Item;
import io.tony.container.local.LocalClusterFolders;
import io.tony.container.local.LocalContainer;
import io.tony.container.local.LocalNode;
import io.tony.container.local.LocalResources;
import io.tony.model.ResourceSpec;
import io.tony.process.Spawner;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.protocolrecords.GetAllResourceTypeInfoRequest;
import org.apache.hadoop.yarn.api.protocolrecords.GetAllResourceTypeInfoResponse;
import org.apache.hadoop.yarn.api.protocolrecords.GetApplicationAttemptsRequest;
import org.apache.hadoop.yarn.api.protocolrecords.GetApplicationAttemptsResponse;
import org.apache.hadoop.yarn.api.protocolrecords.GetApplicationReportRequest;
import org.apache.hadoop.yarn.api.protocolrecords.GetApplicationReportResponse;
import org.apache.hadoop.yarn.api.protocolrecords.GetApplicationsRequest;
import org.apache.hadoop.yarn.api.protocolrecords.GetApplicationsResponse;
import org.apache.hadoop.yarn.api.protocolrecords.GetClusterNodesRequest;
import org.apache.hadoop.yarn.api.protocolrecords.GetClusterNodesResponse;
import org.apache.hadoop.yarn.api.protocolrecords.GetContainersRequest;
import org.apache.hadoop.yarn.api.protocolrecords.GetContainersResponse;
import org.apache.hadoop.yarn.api.protocolrecords.GetNewApplicationRequest;
import org.apache.hadoop.yarn.api.protocolrecords.GetNewApplicationResponse;
import org.apache.hadoop.yarn.api.protocolrecords.GetQueueInfoRequest;
import org.apache.hadoop.yarn.api.protocolrecords.GetQueueInfoResponse;
import org.apache.hadoop.yarn.api.protocolrecords.GetQueueUserAclsInfoRequest;
import org.apache.hadoop.yarn.api.protocolrecords.GetQueueUserAclsInfoResponse;
import org.apache.hadoop.yarn.api.protocolrecords.KillApplicationRequest;
import org.apache.hadoop.yarn.api.protocolrecords.KillApplicationResponse;
import org.apache.hadoop.yarn.api.protocolrecords.SubmitApplicationRequest;
import org.apache.hadoop.yarn.api.protocolrecords.SubmitApplicationResponse;
import org.apache.hadoop.yarn.api.records.ApplicationAttemptId;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationSubmissionContext;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.api.records.NodeReport;
import org.apache.hadoop.yarn.api.records.NodeState;
import org.apache.hadoop.yarn.api.records.QueueInfo;
import org.apache.hadoop.yarn.api.records.QueueState;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.ResourceInformation;
import org.apache.hadoop.yarn.api.records.ResourceTypeInfo;
import org.apache.hadoop.yarn.exceptions.ApplicationNotFoundException;
import org.apache.hadoop.yarn.util.Records;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replaces YARN's ResourceManager for jobs on this machine. Has the methods of YARN's {@code
 * ApplicationClientProtocol} that TonY's clients call. Keeps the state of applications in files, so
 * that all clients of the same user can read it.
 */
public final class LocalApplicationService implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LocalApplicationService.class);

  /**
   * Maximum time that a submission waits until the ApplicationMaster has published the address of
   * the job's web page.
   */
  private static final Duration MAX_PAGE_WAIT = Duration.ofSeconds(5);

  /** Vcores of this machine for YARN's limits: any number. */
  private static final int UNLIMITED_VCORES = Integer.MAX_VALUE;

  private final LocalClusterFolders folders;
  private final Supplier<LocalResources> machine;
  private final Map<ApplicationId, CompletableFuture<Void>> masterEnds = new ConcurrentHashMap<>();
  private CompletableFuture<Void> sweepEnd = CompletableFuture.completedFuture(null);
  private final Supplier<Configuration> conf;

  /**
   * Creates the service.
   *
   * @param machine returns the resources of this machine
   * @param conf returns the configuration of the client; called only when a job is submitted
   */
  LocalApplicationService(
      LocalClusterFolders folders, Supplier<LocalResources> machine, Supplier<Configuration> conf) {
    this.folders = folders;
    this.machine = machine;
    this.conf = conf;
  }

  public GetAllResourceTypeInfoResponse getResourceTypeInfo(GetAllResourceTypeInfoRequest request) {
    GetAllResourceTypeInfoResponse types = GetAllResourceTypeInfoResponse.newInstance();
    List<ResourceTypeInfo> resourceTypes = new ArrayList<>();
    resourceTypes.add(ResourceTypeInfo.newInstance(ResourceInformation.MEMORY_URI, "Mi"));
    resourceTypes.add(ResourceTypeInfo.newInstance(ResourceInformation.VCORES_URI));
    resourceTypes.add(ResourceTypeInfo.newInstance(ResourceSpec.GPU));
    types.setResourceTypeInfo(resourceTypes);
    return types;
  }

  /**
   * Returns a new application id, and the size of the largest container. The id is unique on this
   * machine, because it contains this process's id.
   */
  public GetNewApplicationResponse getNewApplication(GetNewApplicationRequest request) {
    GetNewApplicationResponse response = Records.newRecord(GetNewApplicationResponse.class);
    response.setApplicationId(
        ApplicationId.newInstance(
            System.currentTimeMillis(), Math.toIntExact(ProcessHandle.current().pid())));
    response.setMaximumResourceCapability(capability());
    return response;
  }

  private Resource capability() {
    ResourceSpec total = machine.get().spec();
    return YarnResources.of(new ResourceSpec(total.memoryMiB(), UNLIMITED_VCORES, total.others()));
  }

  public GetClusterNodesResponse getClusterNodes(GetClusterNodesRequest request) {
    NodeReport node = Records.newRecord(NodeReport.class);
    node.setNodeId(NodeId.newInstance(LocalNode.HOST, 0));
    node.setNodeState(NodeState.RUNNING);
    node.setHttpAddress("");
    node.setCapability(capability());
    node.setUsed(Resource.newInstance(0, 0));
    return GetClusterNodesResponse.newInstance(List.of(node));
  }

  /** Returns a running queue, whatever its name: this machine has no real queues. */
  public GetQueueInfoResponse getQueueInfo(GetQueueInfoRequest request) {
    QueueInfo queue = Records.newRecord(QueueInfo.class);
    queue.setQueueName(request.getQueueName());
    queue.setQueueState(QueueState.RUNNING);
    queue.setChildQueues(List.of());
    queue.setApplications(List.of());
    return GetQueueInfoResponse.newInstance(queue);
  }

  public GetQueueUserAclsInfoResponse getQueueUserAcls(GetQueueUserAclsInfoRequest request) {
    return GetQueueUserAclsInfoResponse.newInstance(List.of());
  }

  public SubmitApplicationResponse submitApplication(SubmitApplicationRequest request)
      throws IOException, InterruptedException {
    ApplicationSubmissionContext context = request.getApplicationSubmissionContext();
    ApplicationId id = context.getApplicationId();
    LocalApplication application = new LocalApplication(folders, id);
    application.create();
    LocalReport.write(application, context);
    application.write(Item.KEY, randomKey());
    ContainerId master = ContainerId.newContainerId(ApplicationAttemptId.newInstance(id, 1), 1);
    LocalNode node = new LocalNode(conf.get(), folders, id);
    LocalContainer process =
        node.start(master, context.getAMContainerSpec(), machine.get().toEnvironment());
    application.write(Item.PID, Long.toString(process.pid()));
    masterEnds.put(
        id,
        process
            .exitStatus()
            .thenAccept(status -> recordEnd(application, status, node.logs(master))));
    if (application.read(Item.END).isPresent()) {
      process.stop(); // the application was killed before its process was started
    }
    awaitPage(application);
    startSweep(id);
    return SubmitApplicationResponse.newInstance();
  }

  private void startSweep(ApplicationId own) {
    CompletableFuture<Void> end = new CompletableFuture<>();
    try {
      Spawner.SYSTEM.startThread(
          "sweep",
          () -> {
            try {
              sweep(own);
            } finally {
              end.complete(null);
            }
          });
      sweepEnd = end;
    } catch (IOException e) {
      LOG.warn("What earlier jobs have left stays: {}", e.getMessage());
    }
  }

  private static String randomKey() {
    byte[] key = new byte[16];
    new SecureRandom().nextBytes(key);
    return HexFormat.of().formatHex(key);
  }

  /**
   * Waits for the address of the job's web page, at most {@link #MAX_PAGE_WAIT}, because the client
   * prints the address right after the submission.
   */
  private static void awaitPage(LocalApplication application)
      throws IOException, InterruptedException {
    long deadline = System.nanoTime() + MAX_PAGE_WAIT.toNanos();
    while (application.read(Item.PAGE).isEmpty()
        && application.read(Item.END).isEmpty()
        && System.nanoTime() < deadline) {
      Thread.sleep(10);
    }
  }

  /**
   * Removes what earlier jobs have left. Failures are only logged, because they do not affect the
   * new job.
   *
   * @param own the new job, which is skipped
   */
  private void sweep(ApplicationId own) {
    try {
      for (LocalApplication other : LocalApplication.all(folders)) {
        if (!other.id().equals(own)) {
          other.sweep();
        }
      }
    } catch (IOException | RuntimeException e) {
      LOG.warn("What earlier jobs have left stays: {}", e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Records the end of the ApplicationMaster's process, and terminates the application's other
   * processes.
   *
   * @param status exit status of the ApplicationMaster
   * @param logs the ApplicationMaster's log folder
   */
  private static void recordEnd(LocalApplication application, int status, Path logs) {
    try {
      String logTail = JvmStartFailure.tail(logs.resolve(JvmCommand.STDERR_FILE)).strip();
      application.write(
          Item.END,
          "LOST\nthe ApplicationMaster ended with status "
              + status
              + "; its logs are in "
              + logs
              + (logTail.isEmpty() ? "" : "\n" + logTail));
    } catch (IOException e) {
      LOG.warn("How {} has ended cannot be noted: {}", application.id(), e.toString());
    }
    try {
      application.terminate();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  public GetApplicationReportResponse getApplicationReport(GetApplicationReportRequest request)
      throws ApplicationNotFoundException, IOException {
    LocalApplication application = requireApplication(request.getApplicationId());
    return GetApplicationReportResponse.newInstance(
        LocalReport.of(application, isAlive(application)));
  }

  /**
   * Returns true if the ApplicationMaster is running or, for an application of this client, its end
   * has not been recorded yet.
   */
  private boolean isAlive(LocalApplication application) throws IOException {
    CompletableFuture<Void> own = masterEnds.get(application.id());
    return own == null ? application.isAlive() : !own.isDone();
  }

  private LocalApplication requireApplication(ApplicationId id)
      throws ApplicationNotFoundException {
    LocalApplication application = new LocalApplication(folders, id);
    if (!application.exists()) {
      throw new ApplicationNotFoundException("this machine has no " + id);
    }
    return application;
  }

  /**
   * Returns no applications. Clients list applications to find earlier executions of an Azkaban
   * step, which never run on this machine. As a consequence, {@code tony notebook} does not find a
   * running notebook with the same name.
   */
  public GetApplicationsResponse getApplications(GetApplicationsRequest request) {
    return GetApplicationsResponse.newInstance(List.of());
  }

  public KillApplicationResponse forceKillApplication(KillApplicationRequest request)
      throws ApplicationNotFoundException, IOException, InterruptedException {
    LocalApplication application = requireApplication(request.getApplicationId());
    if (application.isForeign()) {
      throw new IOException(
          application.id() + " runs in another container of this host: end it there");
    }
    String why = request.getDiagnostics() == null ? "" : request.getDiagnostics();
    application.write(Item.END, "KILLED\n" + why);
    application.terminate();
    return KillApplicationResponse.newInstance(true);
  }

  public GetApplicationAttemptsResponse getApplicationAttempts(
      GetApplicationAttemptsRequest request) throws IOException, ApplicationNotFoundException {
    LocalApplication application = requireApplication(request.getApplicationId());
    return GetApplicationAttemptsResponse.newInstance(
        List.of(LocalReport.attempt(application, isAlive(application))));
  }

  /** Returns the application's running containers, which are found by their processes. */
  public GetContainersResponse getContainers(GetContainersRequest request)
      throws ApplicationNotFoundException {
    return GetContainersResponse.newInstance(
        LocalReport.containers(
            requireApplication(request.getApplicationAttemptId().getApplicationId())));
  }

  /**
   * Waits until this client's ApplicationMasters have ended and the remains of earlier jobs are
   * removed.
   */
  @Override
  public void close() {
    sweepEnd.join();
    for (CompletableFuture<Void> ended : masterEnds.values()) {
      try {
        ended.join();
      } catch (CompletionException e) {
        LOG.warn("What is left of a job stays", e);
      }
    }
  }
}
