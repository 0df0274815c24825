package io.tony.am;

import io.tony.model.FailureKind;
import io.tony.model.JobResult;

/**
 * What this program met that cannot be: the event that led to it is in no log, so that another
 * ApplicationMaster, which replays the log, may well get past it. An ApplicationMaster that meets a
 * defect ends like one that is lost, and the gang trains on. Only the last one ends the job.
 */
final class Defect {
  private Defect() {}

  /**
   * Whether YARN starts another ApplicationMaster when this one is lost.
   *
   * @param attempt of this one, from 1
   * @param most how many the job asks for, and {@code mostOfYarn} how many YARN allows
   */
  static boolean isLeftToTheNext(int attempt, int most, int mostOfYarn) {
    return attempt < Math.min(most, mostOfYarn);
  }

  /** How a job ends that no other ApplicationMaster takes up. */
  static JobResult result(Throwable defect, String application) {
    return JobResult.failed(
        FailureKind.AM_LOST,
        "a defect of TonY: "
            + defect
            + ". Please report it with am.log and the event log of "
            + application
            + " (docs/failures.md, \"A defect of TonY\")");
  }
}
