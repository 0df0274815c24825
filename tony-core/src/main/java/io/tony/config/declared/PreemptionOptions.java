package io.tony.config.declared;

import io.tony.config.option.ConfigOption;
import io.tony.model.ProgramSignal;
import java.time.Duration;

/** Options of what is done when YARN announces that it takes containers (docs/preemption.md). */
public final class PreemptionOptions {
  public static final ConfigOption<ProgramSignal> SIGNAL =
      ConfigOption.key("tony.preemption.signal")
          .oneOf(ProgramSignal.class)
          .defaultTo("none")
          .doc(
              "By which signal programs are told that YARN takes containers of their job. Only"
                  + " processes get it that handle it. With or without it, the file that"
                  + " `TONY_PREEMPTION_FILE` names appears.");

  public static final ConfigOption<Duration> TIMEOUT =
      ConfigOption.key("tony.preemption.timeout")
          .interval()
          .defaultTo("60s")
          .doc(
              "For how long after an announcement the container is expected to be taken. If the"
                  + " programs name a checkpoint in that time, the job gives the container back"
                  + " itself and goes on from there. YARN waits"
                  + " `yarn.resourcemanager.monitor.capacity.preemption.max_wait_before_kill`, 15 s"
                  + " by its default.");

  private PreemptionOptions() {}
}
