package io.tony.am.machine;

import static org.junit.Assert.assertEquals;

import io.tony.event.JobDescription;
import io.tony.event.JobFact;
import io.tony.model.Endpoint;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import io.tony.model.JobSpec;
import io.tony.model.ResourceSpec;
import io.tony.model.SampleJob;
import io.tony.model.TaskId;
import io.tony.model.TaskKey;
import io.tony.model.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A job to which things happen, one after the other, and what the machine decided. Every method
 * that makes something happen answers with the actions of just that event.
 */
final class Scenario {
  private final JobSpec job;
  private JobState state;
  private Instant now = Instant.parse("2026-01-01T00:00:00Z");
  private int containers;
  private int masters = 1;
  private final List<Action> all = new ArrayList<>();
  private final List<JobEvent> facts = new ArrayList<>();
  private List<JobEvent> last = List.of();
  private final SetTimers timers = new SetTimers();

  private Scenario(JobSpec job, long seed) {
    this.job = job;
    state = JobState.initial(job, seed);
  }

  static Scenario of(SampleJob job) {
    return new Scenario(job.spec(), 7);
  }

  /** The job with its containers asked for, and with a chance of its own. */
  static Scenario requested(SampleJob job, long seed) {
    Scenario scenario = new Scenario(job.spec(), seed);
    scenario.ready();
    return scenario;
  }

  /** The job with its containers asked for. */
  static Scenario requested(SampleJob job) {
    Scenario scenario = of(job);
    scenario.ready();
    return scenario;
  }

  /** The job with every container allocated. */
  static Scenario allocated(SampleJob job) {
    Scenario scenario = requested(job);
    scenario.allocateAll();
    return scenario;
  }

  /** The job with every task told to start. */
  static Scenario running(SampleJob job) {
    Scenario scenario = allocated(job);
    scenario.registerAll();
    assertEquals(Phase.RUNNING, scenario.phase());
    return scenario;
  }

  // ---- What happens ----

  List<Action> happens(Event event) {
    Decision decision = JobMachine.handle(state, event);
    state = decision.state();
    last = decision.facts();
    facts.addAll(last);
    all.addAll(decision.actions());
    timers.follow(event, decision.actions());
    return decision.actions();
  }

  void pass(Duration time) {
    now = now.plus(time);
  }

  List<Action> ready() {
    return happens(new Event.AmReady(now, 1, "am-host", Set.of()));
  }

  List<Action> allocate(String role) {
    String container = "c" + containers++;
    return happens(
        new Event.ContainerAllocated(
            now, role, container, "node-" + container, "log-" + container));
  }

  /** One container for every task that is asked for. */
  void allocateAll() {
    state
        .job()
        .roles()
        .forEach(
            role -> allocate(role.name(), state.tasks().count(role.name(), TaskState.REQUESTED)));
  }

  List<Action> allocateOn(String role, String node) {
    String container = "c" + containers++;
    return happens(new Event.ContainerAllocated(now, role, container, node, "log-" + container));
  }

  List<Action> cluster(ResourceSpec free, int nodes) {
    return happens(new Event.ClusterChanged(now, free, nodes));
  }

  /** The ApplicationMaster dies, and the next one takes over what lives. */
  List<Action> nextMaster(String... aliveTasks) {
    Set<String> alive = new HashSet<>();
    for (String task : aliveTasks) {
      alive.add(key(task).container());
    }
    return nextMaster(alive);
  }

  List<Action> nextMaster(Set<String> aliveContainers) {
    return nextMaster(aliveContainers, Map.of());
  }

  /** The same with what YARN tells of containers that ended meanwhile. */
  List<Action> nextMaster(Set<String> aliveContainers, Map<String, Event.ContainerEnd> ended) {
    return nextMaster(aliveContainers, ended, 0);
  }

  /** {@code largest} is how many MiB a container may have, as YARN says at once. */
  List<Action> nextMaster(
      Set<String> aliveContainers, Map<String, Event.ContainerEnd> ended, long largest) {
    masters++;
    state = JobStateReducer.of(job, state.seed(), facts);
    return happens(
        new Event.AmReady(
            now,
            masters,
            "am-host",
            JobFact.LaunchTimes.UNKNOWN,
            JobDescription.NONE,
            aliveContainers,
            ended,
            largest));
  }

  void allocate(String role, int count) {
    for (int i = 0; i < count; i++) {
      allocate(role);
    }
  }

  List<Action> register(String task) {
    return register(key(task));
  }

  List<Action> register(TaskKey key) {
    int tensorBoardPort = key.task().equals(state.job().tensorBoardHost()) ? 6006 : 0;
    return happens(new Event.TaskRegistered(now, key, endpoint(key.task()), tensorBoardPort));
  }

  void registerAll() {
    state.tasks().stream()
        .filter(task -> task.state() == TaskState.LAUNCHING)
        .forEach(task -> register(task.id().toString()));
  }

  List<Action> exit(String task, int code) {
    return exit(key(task), code);
  }

  List<Action> exit(TaskKey key, int code) {
    return exit(key, new Event.Exit(code, "the end of stderr", Map.of(), "", false, false));
  }

  List<Action> exit(TaskKey key, Event.Exit exit) {
    return happens(new Event.TaskExited(now, key, exit));
  }

  List<Action> failsPreflight(String task, String what) {
    return happens(new Event.PreflightFailed(now, key(task), what));
  }

  List<Action> containerEnds(String task, FailureKind cause, String message) {
    return happens(new Event.ContainerEnded(now, key(task), cause, message));
  }

  List<Action> silent(String task) {
    return happens(new Event.HeartbeatTimedOut(now, key(task)));
  }

  List<Action> progress(String task, String text) {
    return happens(new Event.TaskProgressed(now, key(task), text));
  }

  List<Action> started(String task) {
    return happens(new Event.TaskStarted(now, key(task), 4711));
  }

  List<Action> stands(TaskKey key, String where) {
    return happens(new Event.HangReported(now, key, where));
  }

  List<Action> tensorBoardListens(TaskKey key) {
    return happens(new Event.TensorBoardListens(now, key));
  }

  List<Action> held(TaskKey key) {
    return happens(new Event.TaskHeld(now, key, 3, Duration.ofMinutes(30), "no such file", ""));
  }

  List<Action> shellWanted(TaskKey key) {
    return happens(new Event.ShellRequested(now, key, "ada", 17));
  }

  List<Action> shellLeft(TaskKey key) {
    return happens(new Event.ShellClosed(now, key, "ada"));
  }

  List<Action> stopBy(String who) {
    return happens(new Event.StopRequested(now, who));
  }

  List<Action> fires(Timer timer) {
    return happens(new Event.TimerFired(now, timer));
  }

  List<Action> schedulerFails(String message) {
    return happens(new Event.SchedulerFailed(now, FailureKind.LOST, message));
  }

  // ---- What came of it ----

  JobState state() {
    return state;
  }

  Instant now() {
    return now;
  }

  Phase phase() {
    return state.phase();
  }

  TaskState stateOf(String task) {
    return state.tasks().get(TaskId.parse(task)).state();
  }

  /** The task's key in the present attempt. */
  TaskKey key(String task) {
    return state.tasks().get(TaskId.parse(task)).key();
  }

  static Endpoint endpoint(TaskId task) {
    return new Endpoint("host-" + task.role(), 7000 + task.index());
  }

  /** Those that are set by now. */
  Set<Timer> timers() {
    return timers.all();
  }

  /** Everything that was decided so far, of one type. */
  <A extends Action> List<A> all(Class<A> type) {
    return only(type, all);
  }

  /** The actions of one type. */
  static <A extends Action> List<A> only(Class<A> type, List<Action> actions) {
    return actions.stream().filter(type::isInstance).map(type::cast).toList();
  }

  /** The facts of one type that were logged so far. */
  List<JobEvent> facts(JobEvent.Type type) {
    return facts.stream().filter(event -> event.type() == type).toList();
  }

  /** The facts of just the last event. */
  List<JobEvent> lastFacts() {
    return last;
  }

  /** The result with which the job finished; it must have, once. */
  JobResult result() {
    List<Action.Finish> finished = all(Action.Finish.class);
    assertEquals("Finish in " + all, 1, finished.size());
    return finished.get(0).result();
  }

  /** The tasks that actions of one type name, in order: {@code worker:0}. */
  static List<String> stopped(List<Action> actions) {
    return only(Action.StopTask.class, actions).stream()
        .map(stop -> stop.key().task().toString())
        .toList();
  }

  static List<String> started(List<Action> actions) {
    return only(Action.StartTask.class, actions).stream()
        .map(start -> start.key().task().toString())
        .toList();
  }

  /** The tasks whose executors are told to start again in the containers that they have. */
  static List<String> restarted(List<Action> actions) {
    return only(Action.RestartTask.class, actions).stream()
        .map(restart -> restart.from().task().toString())
        .toList();
  }

  /** How many containers are asked for, by role: {@code worker 2}. */
  static List<String> requested(List<Action> actions) {
    return only(Action.RequestContainers.class, actions).stream()
        .map(request -> request.role().name() + " " + request.count())
        .toList();
  }

  static List<String> launched(List<Action> actions) {
    return only(Action.LaunchExecutor.class, actions).stream()
        .map(launch -> launch.key().task().toString())
        .toList();
  }

  static List<String> containersStopped(List<Action> actions) {
    return only(Action.StopContainer.class, actions).stream()
        .map(stop -> stop.key().task().toString())
        .toList();
  }
}
