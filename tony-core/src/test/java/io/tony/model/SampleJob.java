package io.tony.model;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Jobs for tests, told in a line: two workers that nothing limits, unless the test says more. */
public final class SampleJob {
  private String framework = "standalone";
  private DistributedMode mode = DistributedMode.GANG;
  private final List<RoleSpec> roles = new ArrayList<>();
  private final Map<String, String> env = new LinkedHashMap<>();
  private boolean failOnAnyTask = true;
  private Duration application = Duration.ZERO;
  private Duration allocation = Duration.ZERO;
  private Duration registration = Duration.ZERO;
  private Duration heartbeatInterval = Duration.ofSeconds(1);
  private int maxMissedHeartbeats = 25;
  private int gangRetries;
  private int lostRetries;

  private SampleJob() {}

  public static SampleJob job() {
    return new SampleJob();
  }

  public SampleJob role(String name, int instances, Supervision supervision) {
    return role(name, instances, supervision, Map.of());
  }

  public SampleJob role(
      String name, int instances, Supervision supervision, Map<String, String> roleEnv) {
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
            Set.of(),
            supervision,
            false,
            0));
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

  /** TonY's rule: only the failure of all tracked tasks fails the job. */
  public SampleJob failOnlyWhenAllFail() {
    failOnAnyTask = false;
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
    gangRetries = ofUser;
    lostRetries = ofLost;
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
        new EndPolicy(failOnAnyTask, false, List.of()),
        10,
        new JobLimits(
            application,
            allocation,
            Duration.ZERO,
            Duration.ofSeconds(10),
            registration,
            Duration.ZERO,
            Duration.ZERO,
            heartbeatInterval,
            maxMissedHeartbeats,
            Duration.ofMinutes(1),
            Duration.ofSeconds(3),
            new JobLimits.Retries(gangRetries, lostRetries, 0)));
  }
}
