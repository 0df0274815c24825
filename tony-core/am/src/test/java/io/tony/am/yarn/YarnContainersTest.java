package io.tony.am.yarn;

import static org.junit.Assert.assertEquals;

import io.tony.am.machine.Event;
import io.tony.am.machine.Event.ContainerAllocated;
import io.tony.am.machine.Event.ContainerEnd;
import io.tony.am.machine.Event.ContainerEnded;
import io.tony.am.machine.Event.SchedulerFailed;
import io.tony.am.machine.JobState;
import io.tony.am.scheduler.InheritedContainers;
import io.tony.config.TonyConfig;
import io.tony.config.job.JobSpecReader;
import io.tony.config.job.Problems;
import io.tony.model.FailureKind;
import io.tony.model.JobSpec;
import io.tony.model.TaskId;
import io.tony.model.TaskKey;
import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.protocolrecords.AllocateResponse;
import org.apache.hadoop.yarn.api.protocolrecords.RegisterApplicationMasterResponse;
import org.apache.hadoop.yarn.api.records.Container;
import org.apache.hadoop.yarn.api.records.ContainerExitStatus;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.ContainerState;
import org.apache.hadoop.yarn.api.records.ContainerStatus;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.client.api.AMRMClient.ContainerRequest;
import org.apache.hadoop.yarn.exceptions.InvalidResourceRequestException;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.apache.hadoop.yarn.exceptions.YarnRuntimeException;
import org.apache.hadoop.yarn.util.Records;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.Timeout;

/** Which containers there are, by a ResourceManager that answers as the test has it. */
public class YarnContainersTest {
  @Rule public final Timeout limit = Timeout.seconds(60);

  private final AnsweringYarn yarn = new AnsweringYarn();
  private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
  private TonyConfig config;
  private JobSpec job;
  private YarnRegistration registration;
  private YarnContainers containers;

  /** A ResourceManager whose answers are given beforehand; after them it has no news. */
  private static final class AnsweringYarn extends SchedulerClient {
    private final RegisterApplicationMasterResponse registered =
        Records.newRecord(RegisterApplicationMasterResponse.class);

    AnsweringYarn() {
      registered.setMaximumResourceCapability(Resource.newInstance(8192, 8));
    }

    private final BlockingQueue<AllocateResponse> answers = new LinkedBlockingQueue<>();
    private final BlockingQueue<ContainerId> released = new LinkedBlockingQueue<>();

    /** All that was asked for until the last call. */
    private final AtomicInteger asked = new AtomicInteger();

    private final AtomicInteger takenBack = new AtomicInteger();
    private final AtomicInteger calls = new AtomicInteger();
    private volatile Exception refusal;

    @Override
    protected void serviceStart() {}

    @Override
    public RegisterApplicationMasterResponse registerApplicationMaster(
        String host, int port, String url) {
      return registered;
    }

    @Override
    public synchronized void addContainerRequest(ContainerRequest request) {
      asked.incrementAndGet();
    }

    @Override
    public synchronized void removeContainerRequest(ContainerRequest request) {
      takenBack.incrementAndGet();
    }

    @Override
    public AllocateResponse allocate(float progress) throws YarnException {
      calls.incrementAndGet();
      if (refusal instanceof YarnException refused) {
        throw refused;
      } else if (refusal instanceof RuntimeException defect) {
        throw defect;
      }
      AllocateResponse answer = answers.poll();
      return answer == null ? answer(List.of(), List.of(), List.of()) : answer;
    }

    @Override
    public synchronized void releaseAssignedContainer(ContainerId id) {
      released.add(id);
    }
  }

  private static AllocateResponse answer(
      List<Container> allocated, List<Container> inherited, List<ContainerStatus> ended) {
    return AllocateResponse.newBuilder()
        .allocatedContainers(allocated)
        .containersFromPreviousAttempt(inherited)
        .completedContainersStatuses(ended)
        .build();
  }

  private static ContainerId id(int number) {
    return ContainerId.fromString(name(number));
  }

  private static String name(int number) {
    return "container_1700000000000_0001_01_00000" + number;
  }

  private static Container container(int number) {
    return Container.newInstance(
        id(number),
        NodeId.newInstance("node" + number, 1),
        "node:2",
        Resource.newInstance(256, 1),
        Priority.newInstance(1),
        null);
  }

  private static ContainerStatus ended(int number, int status, String diagnostics) {
    return ContainerStatus.newInstance(id(number), ContainerState.COMPLETE, diagnostics, status);
  }

  private static TaskKey task(int number) {
    return new TaskKey(new TaskId("worker", number), 0, name(number));
  }

  @Before
  public void create() throws Exception {
    yarn.registered.setContainersFromPreviousAttempts(List.of());
    config =
        TonyConfig.builder()
            .layer(
                "test",
                Map.of(
                    "tony.worker.instances", "9",
                    "tony.worker.memory", "256m",
                    "tony.application.executes", "true"))
            .build();
    job = JobSpecReader.read(config, new Problems()).orElseThrow();
    registration = YarnRegistration.register(yarn, new Configuration(), "here", 1);
    containers = containers();
  }

  private YarnContainers containers() {
    return new YarnContainers(
        new Configuration(),
        config,
        job,
        events::add,
        InstantSource.system(),
        "ada",
        null,
        () -> {},
        registration);
  }

  @After
  public void close() {
    containers.close();
  }

  /** The tasks 1 to 7 are in the containers of their numbers. */
  private InheritedContainers register() throws Exception {
    return containers.start(
        ids ->
            List.of(1, 2, 3, 4, 5, 6, 7).stream()
                .map(YarnContainersTest::task)
                .filter(key -> ids.contains(key.container()))
                .collect(Collectors.toList()));
  }

  /** The next event of a kind; others are passed over. */
  private <E extends Event> E next(Class<E> kind) throws InterruptedException {
    while (true) {
      Event event = events.take();
      if (kind.isInstance(event)) {
        return kind.cast(event);
      }
    }
  }

  /** A call that has this answer, now. */
  private void answer(AllocateResponse answer) {
    yarn.answers.add(answer);
    containers.release("none");
  }

  @Test
  public void shouldTellTheSuccessorWhatEndedUnderNoMaster() throws Exception {
    yarn.registered.setContainersFromPreviousAttempts(List.of(container(1), container(2)));
    yarn.answers.add(
        answer(
            List.of(),
            List.of(container(6)),
            List.of(
                ended(2, 137, ""),
                ended(3, ContainerExitStatus.ABORTED, "Container of a completed application"),
                ended(4, ContainerExitStatus.ABORTED, "Container released on a *lost* node"),
                ended(9, 0, "of no task"))));

    InheritedContainers inherited = register();

    assertEquals(Set.of(name(1), name(6)), inherited.alive());
    assertEquals(
        Map.of(
            name(2),
            new ContainerEnd(FailureKind.LOST, "the executor was killed (SIGKILL)"),
            name(3),
            new ContainerEnd(
                FailureKind.AM_LOST,
                "the ApplicationMaster was lost, and YARN ended the container with it: its node"
                    + " had not reported yet that it ran"),
            name(4),
            new ContainerEnd(
                FailureKind.LOST,
                "the container was released, or its node was lost: Container released on a *lost*"
                    + " node")),
        inherited.ended());
    assertEquals("what runs on is kept", List.of(), List.copyOf(yarn.released));
  }

  @Test
  public void shouldLoseNothingOfTheFirstAnswer() throws Exception {
    yarn.answers.add(answer(List.of(container(8)), List.of(), List.of()));

    assertEquals(Set.of(), register().alive());

    ContainerAllocated allocated = next(ContainerAllocated.class);
    assertEquals(name(8), allocated.container());
    assertEquals("node8", allocated.node());
  }

  /** As the ApplicationMaster of a new job asks, which has decided nothing yet. */
  private void askEarly() {
    registration.requestEarly(job, config, JobState.initial(job, 1).unrequestedContainers());
    containers = containers();
  }

  @Test
  public void shouldNotAskAgainForWhatWasAskedForEarly() throws Exception {
    yarn.answers.add(answer(List.of(container(8)), List.of(), List.of()));
    askEarly();
    assertEquals(9, yarn.asked.get());
    assertEquals("YARN knows", 1, yarn.calls.get());

    register();
    containers.request(job.role("worker"), 9);

    assertEquals(name(8), next(ContainerAllocated.class).container());
    awaitTwoCalls();
    assertEquals("as decided", 9, yarn.asked.get());
    assertEquals("a new total would ask again for what was granted", 0, yarn.takenBack.get());

    containers.request(job.role("worker"), 9);
    awaitTwoCalls();
    assertEquals("the next decision is another one", 18, yarn.asked.get());
  }

  /** All that was changed before is done: in the first call it may come too late. */
  private void awaitTwoCalls() throws InterruptedException {
    for (int number : List.of(6, 7)) {
      answer(answer(List.of(container(number)), List.of(), List.of()));
      assertEquals(name(number), next(ContainerAllocated.class).container());
    }
  }

  @Test
  public void shouldAskForTheRestWhereMoreIsDecidedThanWasAskedForEarly() throws Exception {
    askEarly();
    register();

    containers.request(job.role("worker"), 11);

    awaitTwoCalls();
    assertEquals(11, yarn.asked.get());
  }

  @Test
  public void shouldGoOnWhereTheFirstAnswerDoesNotCome() throws Exception {
    yarn.refusal = new YarnRuntimeException("interrupted while it stops");
    askEarly();
    yarn.refusal = null;

    assertEquals(Set.of(), register().alive());

    awaitTwoCalls();
    assertEquals("by YARN's client, with its next call", 9, yarn.asked.get());
  }

  @Test
  public void shouldTellOfTheRefusalOfWhatWasAskedForEarly() throws Exception {
    yarn.refusal = new InvalidResourceRequestException("more than the largest container");
    askEarly();

    assertEquals(Set.of(), register().alive());

    assertEquals(FailureKind.INVALID, next(SchedulerFailed.class).cause());
  }

  @Test
  public void shouldReleaseWhatComesBackLateAndNobodyHas() throws Exception {
    register();
    answer(answer(List.of(), List.of(container(5)), List.of()));

    assertEquals(id(5), yarn.released.take());
  }

  @Test
  public void shouldFailTheTaskThatNoSecondNodeCanUnpackATarFor() throws Exception {
    register();
    String tar = "gzip -dc | (cd '/x' && tar -x ) Process exited with exit code 2.";
    List<FailureKind> kinds = new ArrayList<>();
    for (int number : List.of(1, 2)) {
      answer(answer(List.of(container(number)), List.of(), List.of()));
      next(ContainerAllocated.class);
      containers.containers().assign(new TaskKey(new TaskId("worker", 0), number, name(number)));
      answer(
          answer(List.of(), List.of(), List.of(ended(number, ContainerExitStatus.INVALID, tar))));
      kinds.add(next(ContainerEnded.class).cause());
    }

    assertEquals(List.of(FailureKind.LOST, FailureKind.INVALID), kinds);
  }

  @Test
  public void shouldTellWhyAContainerIsGoneInWhichNothingWasLaunched() throws Exception {
    register();
    answer(answer(List.of(container(1)), List.of(), List.of()));
    answer(answer(List.of(), List.of(), List.of(ended(1, ContainerExitStatus.PREEMPTED, ""))));

    Event.UnusedContainerEnded gone = next(Event.UnusedContainerEnded.class);

    assertEquals(name(1), gone.container());
    assertEquals(FailureKind.PREEMPTED, gone.cause());
    assertEquals("YARN preempted the container", gone.message());
  }

  @Test
  public void shouldKeepNothingInMindOfWhatHasEnded() throws Exception {
    register();
    try (YarnLauncher launcher =
        new YarnLauncher(
            new Configuration(), containers, null, events::add, InstantSource.system())) {
      answer(answer(List.of(container(1), container(2), container(3)), List.of(), List.of()));
      for (int number : List.of(1, 2, 3)) {
        assertEquals(name(number), next(ContainerAllocated.class).container());
        launcher.adopt(task(number));
      }
      assertEquals(3, containers.containers().size());

      launcher.onStartContainerError(id(1), new IOException("no such user"));
      ContainerEnded neverStarted = next(ContainerEnded.class);
      assertEquals(task(1), neverStarted.key());
      assertEquals("its executor could not be started: no such user", neverStarted.message());
      launcher.stop(task(2));
      assertEquals(id(1), yarn.released.take());
      assertEquals(id(2), yarn.released.take());
      answer(
          answer(List.of(), List.of(), List.of(ended(1, 0, ""), ended(2, 0, ""), ended(3, 0, ""))));
      while (!next(ContainerEnded.class).key().equals(task(3))) {
        // the others come first
      }

      assertEquals(0, containers.containers().size());
      assertEquals("it is gone", false, launcher.adopt(task(3)));
      assertEquals(0, containers.containers().size());
    }
  }

  /** YARN hands them on from one attempt of the application to the next. */
  @Test
  public void shouldHaveYarnForgiveWhatItAvoidedForAnEarlierMaster() throws Exception {
    GrantingYarn next = new GrantingYarn();
    next.blacklist().add("bad");
    registration = YarnRegistration.register(next, new Configuration(), "here", 2);
    containers.close();
    containers = containers();
    register();

    containers.avoid(Set.of("bad"));
    containers.avoid(Set.of());

    while (!next.blacklist().isEmpty()) {
      Thread.sleep(5); // until the next call
    }
  }
}
