package io.tony.client.follow;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.yarn.api.protocolrecords.GetApplicationsRequest;
import org.apache.hadoop.yarn.api.protocolrecords.GetNewApplicationResponse;
import org.apache.hadoop.yarn.api.records.ApplicationAttemptId;
import org.apache.hadoop.yarn.api.records.ApplicationAttemptReport;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.ApplicationSubmissionContext;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.ContainerReport;
import org.apache.hadoop.yarn.api.records.ContainerState;
import org.apache.hadoop.yarn.api.records.FinalApplicationStatus;
import org.apache.hadoop.yarn.api.records.NodeReport;
import org.apache.hadoop.yarn.api.records.NodeState;
import org.apache.hadoop.yarn.api.records.QueueInfo;
import org.apache.hadoop.yarn.api.records.QueueUserACLInfo;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.ResourceTypeInfo;
import org.apache.hadoop.yarn.api.records.YarnApplicationAttemptState;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;
import org.apache.hadoop.yarn.client.api.YarnClientApplication;
import org.apache.hadoop.yarn.client.api.impl.YarnClientImpl;
import org.apache.hadoop.yarn.exceptions.ApplicationNotFoundException;
import org.apache.hadoop.yarn.util.Records;

/**
 * A ResourceManager that shows one application as the test has it, none before that, and counts who
 * looks. It may have others, which stay as they are until they are killed.
 */
public final class ReportedYarn extends YarnClientImpl {
  public static final ApplicationId APPLICATION = ApplicationId.newInstance(1, 1);

  public static final String TRACKING_URL = "http://rm:8088/proxy/" + APPLICATION + "/";

  private volatile CountDownLatch away = new CountDownLatch(0);
  private ApplicationReport report;
  private YarnApplicationAttemptState attemptState = YarnApplicationAttemptState.SCHEDULED;
  private ApplicationReport onceAttemptsAreSeen;
  private ContainerId masterContainer;
  private QueueInfo queue;
  private final List<NodeReport> nodes = new ArrayList<>();
  private int queueLooks;
  private int looks;
  private boolean searchesHeld;
  private int searches;
  private RuntimeException lookFailure;
  private RuntimeException killFailure;
  private IOException submissionFailure;
  private boolean submissionsHeld;
  private boolean submitted;
  private final List<String> killers = new ArrayList<>();
  private final List<String> kills = new ArrayList<>();
  private final Deque<Integer> containers = new ArrayDeque<>();
  private final Map<ApplicationId, ApplicationReport> others = new LinkedHashMap<>();

  /** What is shown from now on; without a port there is no ApplicationMaster to be asked. */
  public synchronized void show(YarnApplicationState state, int attempt, String host, int port) {
    report = shown(state, attempt, host, port);
    looks = 0;
    notifyAll();
  }

  /** Shows that the ApplicationMaster has told YARN how the job ended. */
  public synchronized void showFinished(FinalApplicationStatus status) {
    show(YarnApplicationState.FINISHED, 1, "N/A", -1);
    report.setFinalApplicationStatus(status);
  }

  /** Shows another one, too, which has just these tags. */
  public synchronized ApplicationReport showAlso(
      ApplicationId id, YarnApplicationState state, String... tags) {
    ApplicationReport other = shown(id, state, 1, "N/A", -1);
    other.setApplicationTags(Set.of(tags));
    others.put(id, other);
    return other;
  }

  private static ApplicationReport shown(
      YarnApplicationState state, int attempt, String host, int port) {
    return shown(APPLICATION, state, attempt, host, port);
  }

  private static ApplicationReport shown(
      ApplicationId id, YarnApplicationState state, int attempt, String host, int port) {
    ApplicationReport next = Records.newRecord(ApplicationReport.class);
    next.setApplicationId(id);
    next.setYarnApplicationState(state);
    next.setFinalApplicationStatus(FinalApplicationStatus.UNDEFINED);
    next.setCurrentApplicationAttemptId(ApplicationAttemptId.newInstance(id, attempt));
    next.setHost(host);
    next.setRpcPort(port);
    next.setName("train");
    next.setQueue("ml");
    next.setUser(System.getProperty("user.name"));
    next.setTrackingUrl(TRACKING_URL);
    next.setDiagnostics("AM Container exited with 137");
    return next;
  }

  /** When it took the application, launched its first ApplicationMaster, and saw it end. */
  public synchronized void showTimes(long submitted, long launched, long finished) {
    report.setStartTime(submitted);
    report.setLaunchTime(launched);
    report.setFinishTime(finished);
  }

  /** Another ApplicationMaster's process is being started, where none is shown. */
  public synchronized void masterStarts() {
    attemptState = YarnApplicationAttemptState.LAUNCHED;
  }

  /** The ApplicationMaster registers between a look at the application and one at its attempts. */
  public synchronized void masterRegistersUnseen(String host, int port) {
    attemptState = YarnApplicationAttemptState.RUNNING;
    onceAttemptsAreSeen = shown(YarnApplicationState.RUNNING, 1, host, port);
  }

  /** A container is found for the ApplicationMaster, and nobody has looked yet. */
  public synchronized void masterHas(ContainerId container) {
    masterContainer = container;
  }

  /**
   * So many containers are shown of the application at the next looks, the last from then on; of
   * fewer than none, it is not told.
   */
  public synchronized void showContainers(Integer... counts) {
    containers.addAll(List.of(counts));
  }

  /** Nobody who asks for the application is answered before. */
  public void isAwayUntil(CountDownLatch back) {
    away = back;
  }

  /** What is in the queue of the application; whoever looks may not, as long as there is none. */
  public synchronized void showQueue(QueueInfo info) {
    queue = info;
  }

  /** One more node, whose page has this address. */
  public synchronized void showNode(String address) {
    NodeReport node = Records.newRecord(NodeReport.class);
    node.setHttpAddress(address);
    nodes.add(node);
  }

  public synchronized int queueLooks() {
    return queueLooks;
  }

  /** Returns when what is shown was looked at so often. */
  public synchronized void awaitLooks(int count) throws InterruptedException {
    while (looks < count) {
      wait();
    }
  }

  /** Each look at the application fails like this from now on. */
  public synchronized void failLooks(RuntimeException failure) {
    lookFailure = failure;
  }

  /** Whoever searches for applications waits from now on. */
  public synchronized void holdSearches() {
    searchesHeld = true;
  }

  public synchronized void awaitSearch() throws InterruptedException {
    while (searches == 0) {
      wait();
    }
  }

  public synchronized void answerSearches() {
    searchesHeld = false;
    notifyAll();
  }

  /** Each kill fails like this from now on. */
  public synchronized void failKills(RuntimeException failure) {
    killFailure = failure;
  }

  /** Each submission is taken from now on, and its answer is this. */
  public synchronized void failSubmissions(IOException failure) {
    submissionFailure = failure;
  }

  /** Each submission is taken from now on, and nobody is told before {@link #answerSubmissions}. */
  public synchronized void holdSubmissions() {
    submissionsHeld = true;
  }

  public synchronized void awaitSubmission() throws InterruptedException {
    while (!submitted) {
      wait();
    }
  }

  public synchronized void answerSubmissions() {
    submissionsHeld = false;
    notifyAll();
  }

  public synchronized boolean hasSubmission() {
    return submitted;
  }

  /** As whom each of them was asked for. */
  public synchronized List<String> killers() {
    return List.copyOf(killers);
  }

  public synchronized List<String> kills() {
    return List.copyOf(kills);
  }

  @Override
  public ApplicationReport getApplicationReport(ApplicationId application)
      throws ApplicationNotFoundException {
    try {
      away.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return reported(application);
  }

  private synchronized ApplicationReport reported(ApplicationId application)
      throws ApplicationNotFoundException {
    looks++;
    notifyAll();
    if (lookFailure != null) {
      throw lookFailure;
    }
    ApplicationReport asked = others.getOrDefault(application, report);
    if (asked == null) {
      throw new ApplicationNotFoundException("no application " + application);
    }
    return asked;
  }

  @Override
  public synchronized List<ApplicationReport> getApplications(GetApplicationsRequest request)
      throws IOException {
    searches++;
    notifyAll();
    try {
      while (searchesHeld) {
        wait();
      }
    } catch (InterruptedException e) {
      throw new IOException("the search was interrupted", e);
    }
    List<ApplicationReport> found = new ArrayList<>();
    if (report != null && others.isEmpty()) {
      report.setApplicationTags(request.getApplicationTags());
      found.add(report);
    }
    others.values().stream()
        .filter(other -> request.getApplicationStates().contains(other.getYarnApplicationState()))
        .filter(other -> other.getApplicationTags().containsAll(request.getApplicationTags()))
        .forEach(found::add);
    return found;
  }

  @Override
  public synchronized List<ApplicationAttemptReport> getApplicationAttempts(ApplicationId id) {
    ApplicationAttemptReport attempt = Records.newRecord(ApplicationAttemptReport.class);
    attempt.setApplicationAttemptId(
        others.getOrDefault(id, report).getCurrentApplicationAttemptId());
    attempt.setYarnApplicationAttemptState(attemptState);
    attempt.setAMContainerId(masterContainer);
    if (onceAttemptsAreSeen != null) {
      report = onceAttemptsAreSeen;
    }
    return List.of(attempt);
  }

  @Override
  public synchronized List<ContainerReport> getContainers(ApplicationAttemptId attempt)
      throws IOException {
    int count = containers.isEmpty() ? 0 : containers.getFirst();
    if (containers.size() > 1) {
      containers.removeFirst();
    }
    if (count < 0) {
      throw new IOException("no route to the ResourceManager\n\tat a.Server.run(Server.java:1)");
    }
    List<ContainerReport> reports = new ArrayList<>();
    for (int i = 0; i <= count; i++) {
      ContainerReport report = Records.newRecord(ContainerReport.class);
      report.setContainerState(i == 0 ? ContainerState.COMPLETE : ContainerState.RUNNING);
      reports.add(report);
    }
    return reports;
  }

  @Override
  public synchronized QueueInfo getQueueInfo(String name) throws IOException {
    queueLooks++;
    if (queue == null) {
      throw new IOException("you may not look at " + name);
    }
    return queue;
  }

  // ---- Submissions ----

  @Override
  public List<ResourceTypeInfo> getResourceTypeInfo() {
    return List.of();
  }

  @Override
  public List<QueueUserACLInfo> getQueueAclsInfo() {
    return List.of();
  }

  @Override
  public synchronized List<NodeReport> getNodeReports(NodeState... states) {
    return List.copyOf(nodes);
  }

  @Override
  public YarnClientApplication createApplication() {
    GetNewApplicationResponse response = Records.newRecord(GetNewApplicationResponse.class);
    response.setApplicationId(APPLICATION);
    response.setMaximumResourceCapability(Resource.newInstance(1 << 20, 1_000));
    ApplicationSubmissionContext request = Records.newRecord(ApplicationSubmissionContext.class);
    request.setApplicationId(APPLICATION);
    return new YarnClientApplication(response, request);
  }

  @Override
  public synchronized ApplicationId submitApplication(ApplicationSubmissionContext request)
      throws IOException {
    show(YarnApplicationState.ACCEPTED, 1, "N/A", -1);
    submitted = true;
    notifyAll();
    try {
      while (submissionsHeld) {
        wait();
      }
    } catch (InterruptedException e) {
      throw new IOException("the submission was interrupted", e);
    }
    if (submissionFailure != null) {
      throw submissionFailure;
    }
    return request.getApplicationId();
  }

  @Override
  public synchronized void killApplication(ApplicationId application, String diagnostics)
      throws IOException {
    if (killFailure != null) {
      throw killFailure;
    }
    killers.add(UserGroupInformation.getCurrentUser().getShortUserName());
    kills.add(String.valueOf(diagnostics));
    if (others.containsKey(application)) {
      others.get(application).setYarnApplicationState(YarnApplicationState.KILLED);
      return;
    }
    show(YarnApplicationState.KILLED, 1, "N/A", -1);
  }
}
