package io.tony.model;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Jobs for tests, told in a line: two workers that nothing limits, unless the test says more. */
public final class SampleJob {
  private ProgramSignal askSignal = ProgramSignal.NONE;
  private String framework = "standalone";
  private DistributedMode mode = DistributedMode.GANG;
  private final List<RoleSpec> roles = new ArrayList<>();
  private final Map<String, String> env = new LinkedHashMap<>();
  private boolean failOnAnyTask = true;
  private boolean chiefDecides;
  private final List<EndPolicy.GroupTimeout> groupTimeouts = new ArrayList<>();
  private Duration hold = Duration.ZERO;
  private Duration application = Duration.ZERO;
  private Duration allocation = Duration.ZERO;
  private Duration registration = Duration.ZERO;
  private Duration heartbeatInterval = Duration.ofSeconds(1);
  private int maxMissedHeartbeats = 25;
  private JobLimits.Retries retries = new JobLimits.Retries(0, 0, 0, false);
  private boolean stopFutile;
  private boolean joins;
  private MemoryGrowth growth = MemoryGrowth.NONE;

  private SampleJob() {}

  public static SampleJob job() {
    return new SampleJob();
  }

  /** One worker, and an evaluator that may outlive it for ten minutes. */
  public static SampleJob evaluated(boolean ignored) {
    return job()
        .workers(1)
        .role("evaluator", 1, Supervision.TRACKED)
        .groupTimeout("evaluator", Duration.ofMinutes(10), ignored, "worker");
  }

  public SampleJob role(String name, int instances, Supervision supervision) {
    return role(name, instances, supervision, Map.of());
  }

  public SampleJob role(
      String name, int instances, Supervision supervision, Map<String, String> roleEnv) {
    return role(name, instances, supervision, roleEnv, Set.of(), false, 0);
  }

  private SampleJob role(
      String name,
      int instances,
      Supervision supervision,
      Map<String, String> roleEnv,
      Set<String> dependsOn,
      boolean stopsJob,
      int roleRetries) {
    roles.add(
        new RoleSpec(
            name,
            instances,
            new ResourceSpec(1024, 1),
            "run-" + name,
            roleEnv,
            List.of(),
            Placement.ANYWHERE,
            null,
            dependsOn,
            supervision,
            stopsJob,
            roleRetries,
            growth));
    return this;
  }

  /** The role that was added last waits for the end of others. */
  public SampleJob after(String... others) {
    RoleSpec last = roles.remove(roles.size() - 1);
    return role(
        last.name(),
        last.instances(),
        last.supervision(),
        last.env(),
        Set.of(others),
        last.stopsJob(),
        last.maxTaskRetries());
  }

  /** One failed task of the role that was added last fails the job. */
  public SampleJob stopsJob() {
    RoleSpec last = roles.remove(roles.size() - 1);
    return role(
        last.name(),
        last.instances(),
        last.supervision(),
        last.env(),
        last.dependsOn(),
        true,
        last.maxTaskRetries());
  }

  /** Each task of the role that was added last may be started again alone so often. */
  public SampleJob each(int roleRetries) {
    RoleSpec last = roles.remove(roles.size() - 1);
    return role(
        last.name(),
        last.instances(),
        last.supervision(),
        last.env(),
        last.dependsOn(),
        last.stopsJob(),
        roleRetries);
  }

  /** Each container of the role that was added last has so many GPUs. */
  public SampleJob gpus(long count) {
    RoleSpec last = roles.remove(roles.size() - 1);
    ResourceSpec resource =
        new ResourceSpec(1024, 1, new TreeMap<>(Map.of(ResourceSpec.GPU, count)));
    roles.add(
        new RoleSpec(
            last.name(),
            last.instances(),
            resource,
            last.command(),
            last.env(),
            last.files(),
            last.placement(),
            last.docker(),
            last.dependsOn(),
            last.supervision(),
            last.stopsJob(),
            last.maxTaskRetries(),
            last.memoryGrowth()));
    return this;
  }

  /** The gang goes on with so few tasks of the role that was added last. */
  public SampleJob least(int instances) {
    roles.add(roles.remove(roles.size() - 1).withMinInstances(instances));
    return this;
  }

  /** Tasks of elastic roles leave and join while the programs of the others run on. */
  public SampleJob joining() {
    joins = true;
    return this;
  }

  public SampleJob workers(int instances) {
    return role("worker", instances, Supervision.TRACKED);
  }

  public SampleJob framework(String name) {
    framework = name;
    return this;
  }

  public SampleJob firstComeFirstServed() {
    mode = DistributedMode.FCFS;
    return this;
  }

  public SampleJob env(String name, String value) {
    env.put(name, value);
    return this;
  }

  /** LinkedIn TonY's rule: only the failure of all tracked tasks fails the job. */
  public SampleJob failOnlyWhenAllFail() {
    failOnAnyTask = false;
    return this;
  }

  /** The job has succeeded when its chief has. */
  public SampleJob chiefDecides() {
    chiefDecides = true;
    return this;
  }

  /** The role may go on only so long when all tasks of the others have ended. */
  public SampleJob groupTimeout(String role, Duration limit, boolean ignored, String... members) {
    groupTimeouts.add(new EndPolicy.GroupTimeout(role, "others", Set.of(members), limit, ignored));
    return this;
  }

  /** How long a gang keeps its containers while it lacks others. */
  public SampleJob hold(Duration limit) {
    hold = limit;
    return this;
  }

  public SampleJob applicationLimit(Duration limit) {
    application = limit;
    return this;
  }

  public SampleJob allocationLimit(Duration limit) {
    allocation = limit;
    return this;
  }

  public SampleJob registrationLimit(Duration limit) {
    registration = limit;
    return this;
  }

  public SampleJob heartbeats(Duration interval, int maxMissed) {
    heartbeatInterval = interval;
    maxMissedHeartbeats = maxMissed;
    return this;
  }

  /** How often the gang is started again after a failure of the program, and after a loss. */
  public SampleJob retries(int ofUser, int ofLost) {
    return retries(ofUser, ofLost, 0);
  }

  public SampleJob retries(int ofUser, int ofLost, int ofPreempted) {
    retries = new JobLimits.Retries(ofUser, ofLost, ofPreempted, false);
    return this;
  }

  /** Retries that cannot help are not spent. */
  public SampleJob stopsFutileRetries() {
    stopFutile = true;
    return this;
  }

  /** The containers of the roles that are added from now on grow so. */
  public SampleJob growing(double factor, long mostMiB) {
    growth = new MemoryGrowth(factor, mostMiB);
    return this;
  }

  /** Programs are told by this signal that YARN takes containers. */
  public SampleJob askSignal(ProgramSignal signal) {
    askSignal = signal;
    return this;
  }

  public JobSpec spec() {
    if (roles.isEmpty()) {
      workers(2);
    }
    return new JobSpec(
        "sample",
        framework,
        mode,
        roles,
        env,
        List.of(),
        new EndPolicy(failOnAnyTask, chiefDecides, groupTimeouts),
        10,
        new JobLimits(
            application,
            allocation,
            hold,
            Duration.ofSeconds(10),
            registration,
            Duration.ZERO,
            Duration.ZERO,
            heartbeatInterval,
            maxMissedHeartbeats,
            Duration.ofMinutes(1),
            Duration.ofSeconds(3),
            new JobLimits.Elasticity(Duration.ofSeconds(30), Duration.ofMinutes(10), joins),
            new JobLimits.CheckpointRequests(Duration.ofSeconds(60), askSignal),
            new JobLimits.Retries(
                retries.program(), retries.lost(), retries.preempted(), stopFutile)));
  }
}
