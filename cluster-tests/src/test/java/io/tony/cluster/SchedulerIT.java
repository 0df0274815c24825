package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertTrue;

import io.tony.am.machine.Event;
import io.tony.am.machine.Event.ClusterChanged;
import io.tony.am.machine.Event.ContainerAllocated;
import io.tony.am.machine.Event.ContainerEnded;
import io.tony.am.yarn.YarnContainers;
import io.tony.am.yarn.YarnLauncher;
import io.tony.am.yarn.YarnRegistration;
import io.tony.config.TonyConfig;
import io.tony.config.job.JobSpecReader;
import io.tony.config.job.Problems;
import io.tony.model.FailureKind;
import io.tony.model.JobResult;
import io.tony.model.JobSpec;
import io.tony.model.RoleSpec;
import io.tony.model.TaskId;
import io.tony.model.TaskKey;
import io.tony.testing.LeavesNothing;
import java.security.PrivilegedExceptionAction;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationSubmissionContext;
import org.apache.hadoop.yarn.api.records.ContainerLaunchContext;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.client.api.YarnClientApplication;
import org.apache.hadoop.yarn.security.AMRMTokenIdentifier;
import org.junit.After;
import org.junit.Before;
import org.junit.ClassRule;
import org.junit.Rule;
import org.junit.Test;

/**
 * The scheduler's port against a real ResourceManager. The test is the ApplicationMaster itself,
 * one that YARN calls unmanaged: nobody starts it, and it may register again as its own successor.
 */
public class SchedulerIT {
  private static final String FIRST_NODE = "127.1.0.1";
  private static final String SECOND_NODE = "127.1.0.2";

  @ClassRule
  public static final OwnCluster cluster =
      new OwnCluster("mini-scheduler", "--node-heartbeat-ms", "100", "--node-memory-mb", "1024");

  @Rule(order = 1)
  public final LeavesNothing leavesNothing = new LeavesNothing(cluster);

  private final YarnClient yarn = cluster.yarn();
  private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
  private final CountDownLatch disowned = new CountDownLatch(1);
  private final TonyConfig config =
      TonyConfig.builder()
          .layer(
              "test",
              Map.of(
                  "tony.worker.instances", "4",
                  "tony.worker.memory", "256m",
                  "tony.application.executes", "true"))
          .build();
  private final JobSpec job = JobSpecReader.read(config, new Problems()).orElseThrow();
  private final RoleSpec worker = job.role("worker");
  private ApplicationId application;
  private UserGroupInformation master;
  private YarnContainers containers;

  @Before
  public void becomeAnApplicationMaster() throws Exception {
    YarnClientApplication created = yarn.createApplication();
    ApplicationSubmissionContext request = created.getApplicationSubmissionContext();
    request.setUnmanagedAM(true);
    request.setKeepContainersAcrossApplicationAttempts(true);
    request.setResource(Resource.newInstance(64, 1));
    request.setAMContainerSpec(
        ContainerLaunchContext.newInstance(Map.of(), Map.of(), List.of(), null, null, null));
    application = yarn.submitApplication(request);
    Token<AMRMTokenIdentifier> token = yarn.getAMRMToken(application);
    while (token == null) {
      Thread.sleep(50); // YARN has no event for it
      token = yarn.getAMRMToken(application);
    }
    master = UserGroupInformation.createRemoteUser(System.getProperty("user.name"));
    master.addToken(token);
    containers = containers();
    assertEquals(Set.of(), register(containers));
  }

  @After
  public void leave() throws Exception {
    yarn.killApplication(application);
    containers.close();
    yarn.close();
  }

  private YarnContainers containers() throws Exception {
    return master.doAs(
        (PrivilegedExceptionAction<YarnContainers>)
            () ->
                new YarnContainers(
                    cluster.configuration(),
                    config,
                    job,
                    events::add,
                    InstantSource.system(),
                    "user",
                    null,
                    disowned::countDown,
                    YarnRegistration.register(cluster.configuration(), "localhost", 1)));
  }

  private Set<String> register(YarnContainers port) throws Exception {
    return master.doAs(
        (PrivilegedExceptionAction<Set<String>>) () -> port.start(ended -> List.of()).alive());
  }

  /** The next event of a kind; others are passed over. */
  private <E extends Event> E next(Class<E> kind) throws InterruptedException {
    while (true) {
      Event event = events.poll(60, TimeUnit.SECONDS);
      assertNotNull("no " + kind.getSimpleName(), event);
      if (kind.isInstance(event)) {
        return kind.cast(event);
      }
    }
  }

  private List<ContainerAllocated> allocated(int count) throws InterruptedException {
    List<ContainerAllocated> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      all.add(next(ContainerAllocated.class));
    }
    return all;
  }

  /**
   * Asks for one container after the other. A call that says how many of several are still missing
   * may cross an allocation, and YARN then gives one more, which would be taken for one of the
   * next.
   */
  private List<ContainerAllocated> oneByOne(int count) throws InterruptedException {
    List<ContainerAllocated> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      containers.request(worker, 1);
      all.addAll(allocated(1));
    }
    return all;
  }

  private static Set<String> nodes(List<ContainerAllocated> allocated) {
    Set<String> nodes = new HashSet<>();
    allocated.forEach(event -> nodes.add(event.node()));
    return nodes;
  }

  @Test
  public void shouldAvoidExactlyTheNodesThatItIsTold() throws Exception {
    containers.avoid(Set.of(FIRST_NODE));
    assertEquals(Set.of(SECOND_NODE), nodes(oneByOne(2)));

    containers.avoid(Set.of(SECOND_NODE));
    assertEquals(Set.of(FIRST_NODE), nodes(oneByOne(2)));

    containers.avoid(Set.of());
    assertEquals(Set.of(FIRST_NODE, SECOND_NODE), nodes(oneByOne(4)));
  }

  @Test
  public void shouldGiveLargerContainersOnceTheRoleHasGrown() throws Exception {
    containers.request(worker, 9); // eight fit
    List<ContainerAllocated> small = allocated(8);
    assertEquals(Set.of(256L), sizes(small));

    containers.cancel(worker, 1);
    containers.request(worker.withMemory(512), 2);
    small.forEach(each -> containers.release(each.container()));

    // One of the old size may have been granted as it was taken back.
    List<ContainerAllocated> large = new ArrayList<>();
    while (large.size() < 2) {
      ContainerAllocated next = next(ContainerAllocated.class);
      if (next.memoryMiB() == 512) {
        large.add(next);
      }
    }
  }

  private static Set<Long> sizes(List<ContainerAllocated> allocated) {
    return allocated.stream().map(ContainerAllocated::memoryMiB).collect(Collectors.toSet());
  }

  @Test
  public void shouldTellWhatTheQueueCanStillGiveWhileItWaits() throws Exception {
    containers.request(worker, 9); // eight fit
    ClusterChanged change = next(ClusterChanged.class);
    while (change.free().memoryMiB() > 0) {
      assertEquals(2, change.nodeCount());
      change = next(ClusterChanged.class);
    }
  }

  @Test
  public void shouldTellHowManyNodesThereAreThoughNothingIsPending() throws Exception {
    ClusterChanged cluster = next(ClusterChanged.class);
    assertEquals(2, cluster.nodeCount());
    assertTrue(cluster.toString(), cluster.maxContainerMiB() >= 1024);
  }

  @Test
  public void shouldStopToTouchAJobThatYarnHasTakenAway() throws Exception {
    containers.request(worker, 1);
    allocated(1);
    yarn.killApplication(application);
    assertTrue(disowned.await(60, TimeUnit.SECONDS));
    assertEquals(
        List.of(), events.stream().filter(Event.SchedulerFailed.class::isInstance).toList());
  }

  @Test
  public void shouldTakeOverTheContainersOfItsPredecessor() throws Exception {
    containers.request(worker, 3);
    List<ContainerAllocated> mine = allocated(3);
    containers.close();

    containers = containers();
    Set<String> alive = register(containers);
    Set<String> unwanted = new HashSet<>(alive);
    for (ContainerAllocated event : mine) {
      assertTrue(event.container() + " in " + alive, alive.contains(event.container()));
    }
    try (YarnLauncher launcher =
        master.doAs(
            (PrivilegedExceptionAction<YarnLauncher>)
                () ->
                    new YarnLauncher(
                        cluster.configuration(),
                        containers,
                        null,
                        events::add,
                        InstantSource.system()))) {
      TaskKey first = new TaskKey(new TaskId("worker", 0), 0, mine.get(0).container());
      TaskKey second = new TaskKey(new TaskId("worker", 1), 3, mine.get(1).container());
      launcher.adopt(first);
      launcher.adopt(second);
      unwanted.removeAll(Set.of(first.container(), second.container()));
      launcher.stop(second);
      ContainerEnded ended = next(ContainerEnded.class);
      assertEquals(second, ended.key());
      assertEquals(FailureKind.LOST, ended.cause());
      // In its container the task started again meanwhile.
      TaskKey again = new TaskKey(first.task(), 4, first.container());
      launcher.adopt(again);
      launcher.stop(again);
      assertEquals(again, next(ContainerEnded.class).key());
    }
    // Where a call of the predecessor's crossed an allocation, there is one more than it knew of.
    unwanted.forEach(containers::release);
    containers.unregister(JobResult.succeeded("done"));
  }
}
