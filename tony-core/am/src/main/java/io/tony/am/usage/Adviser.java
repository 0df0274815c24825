package io.tony.am.usage;

import io.tony.config.TonyConfig;
import io.tony.config.declared.RoleOptions;
import io.tony.model.JobSpec;
import io.tony.model.RoleSpec;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Suggests resources that the next similar job should request, from what this job requested and
 * used. Suggests only changes with a large gain. Has no side effects.
 */
public final class Adviser {
  /**
   * Reserve that a suggestion leaves above the measured use of memory and cores, as a fraction of
   * this use.
   */
  private static final double HEADROOM = 0.25;

  /** Fraction of a container's memory above which the container is at risk of being killed. */
  private static final double RISK_RATIO = 0.9;

  /**
   * Minimum memory in MiB that a suggestion must save per task; it must also save the fraction
   * {@link #MIN_GAIN_RATIO} of the container's memory.
   */
  private static final long MIN_GAIN_MIB = 256;

  private static final double MIN_GAIN_RATIO = 0.25;

  private static final double IDLE_PERCENT = 10;
  private static final int MAX_PER_ROLE = 2;

  private final JobSpec job;
  private final Set<String> roles;
  private final long stepMiB;

  /**
   * Creates an adviser for those roles of the job that the configuration defines.
   *
   * @param stepMiB allocation step of YARN: containers have a multiple of this many MiB
   */
  public static Adviser of(JobSpec job, TonyConfig config, long stepMiB) {
    Set<String> roles = new HashSet<>(config.roles());
    // If the job configures no tasks for a role, its single program runs with the resources of the
    // ApplicationMaster, which no option of the role sets.
    roles.removeIf(role -> config.get(RoleOptions.INSTANCES.at(role)) == 0);
    return new Adviser(job, roles, stepMiB);
  }

  /**
   * Creates an adviser for some roles of the job.
   *
   * @param roles roles with resource options of their own; only these get advice about their
   *     resources
   * @param stepMiB allocation step of YARN: containers have a multiple of this many MiB
   */
  Adviser(JobSpec job, Set<String> roles, long stepMiB) {
    this.job = job;
    this.roles = Set.copyOf(roles);
    this.stepMiB = Math.max(1, stepMiB);
  }

  /**
   * Returns the advice for people, one sentence each.
   *
   * @param usages usage by role
   * @param sizes number of tasks at the end of the job, by role; a missing role has its configured
   *     number
   * @param outOfMemory roles in which a task ran out of memory, so that the memory they need is not
   *     known
   * @param escalatedMiB memory in MiB that was requested last, for each role that restarted with
   *     more memory than configured
   */
  List<String> advise(
      Map<String, RoleUsage> usages,
      Map<String, Integer> sizes,
      Set<String> outOfMemory,
      Map<String, Long> escalatedMiB) {
    List<String> advice = new ArrayList<>();
    for (RoleSpec role : job.roles()) {
      RoleUsage use = usages.getOrDefault(role.name(), RoleUsage.of(List.of()));
      int tasks = sizes.getOrDefault(role.name(), role.instances());
      if (escalatedMiB.containsKey(role.name())) {
        advice.add(escalation(role, escalatedMiB.get(role.name())));
      }
      if (roles.contains(role.name())
          && use.watchedCount() > 0
          && 2 * use.watchedCount() >= tasks) {
        List<String> ofRole = new ArrayList<>();
        if (!outOfMemory.contains(role.name())) {
          memory(role, tasks, use).ifPresent(ofRole::add);
        }
        gpus(role, use).ifPresent(ofRole::add);
        vcores(role, tasks, use).ifPresent(ofRole::add);
        advice.addAll(ofRole.subList(0, Math.min(ofRole.size(), MAX_PER_ROLE)));
      }
    }
    return advice;
  }

  private String escalation(RoleSpec role, long memory) {
    return role.name()
        + " was ended for its memory and started again with "
        + size(memory)
        + ": tony."
        + role.name()
        + ".memory="
        + setting(memory)
        + " begins with that";
  }

  private Optional<String> memory(RoleSpec role, int tasks, RoleUsage use) {
    long given = roundUpToStep(role.resource().memoryMiB());
    long wanted = roundUpToStep((long) Math.ceil(use.peakMiB() * (1 + HEADROOM)));
    String set = "tony." + role.name() + ".memory=" + setting(wanted);
    if (use.peakMiB() > RISK_RATIO * given) {
      return Optional.of(
          "a "
              + role.name()
              + " used "
              + usedOf(use.peakMiB(), given)
              + ", close to where its node ends it: "
              + set
              + " leaves room");
    }
    long gain = given - wanted;
    return gain >= MIN_GAIN_MIB && gain >= MIN_GAIN_RATIO * given
        ? Optional.of(
            "no "
                + role.name()
                + " used more than "
                + usedOf(use.peakMiB(), given)
                + ": "
                + set
                + " saves "
                + size(gain * tasks))
        : Optional.empty();
  }

  private static Optional<String> gpus(RoleSpec role, RoleUsage use) {
    return role.resource().gpus() > 0 && use.gpuPercent() < IDLE_PERCENT
        ? Optional.of(
            String.format(
                Locale.ROOT,
                "the GPUs of no %s were busy for more than %.0f %% of the time: see whether its"
                    + " program uses them, or set tony.%s.gpus=0",
                role.name(),
                Math.ceil(use.gpuPercent()),
                role.name()))
        : Optional.empty();
  }

  private static Optional<String> vcores(RoleSpec role, int tasks, RoleUsage use) {
    int given = role.resource().vcores();
    int wanted = Math.max(1, (int) Math.ceil(use.cores() * (1 + HEADROOM)));
    int gain = given - wanted;
    long all = (long) gain * tasks;
    return gain >= 1 && gain >= MIN_GAIN_RATIO * given
        ? Optional.of(
            String.format(
                Locale.ROOT,
                "no %s used more than %.1f of its %d vcores on average: tony.%s.vcores=%d saves %d"
                    + (all == 1 ? " vcore" : " vcores"),
                role.name(),
                use.cores(),
                given,
                role.name(),
                wanted,
                all))
        : Optional.empty();
  }

  private long roundUpToStep(long mebibytes) {
    return Math.max(1, (mebibytes + stepMiB - 1) / stepMiB) * stepMiB;
  }

  private static String usedOf(long used, long given) {
    return given < 1024
        ? used + " of its " + given + " MiB"
        : String.format(Locale.ROOT, "%.1f of its %.1f GiB", used / 1024.0, given / 1024.0);
  }

  private static String size(long mebibytes) {
    double gibibytes = mebibytes / 1024.0;
    return gibibytes < 1
        ? mebibytes + " MiB"
        : String.format(Locale.ROOT, gibibytes < 10 ? "%.1f GiB" : "%.0f GiB", gibibytes);
  }

  /** Formats a memory size as an option value, such as {@code 1536m} or {@code 2g}. */
  private static String setting(long mebibytes) {
    return mebibytes % 1024 == 0 ? mebibytes / 1024 + "g" : mebibytes + "m";
  }
}
