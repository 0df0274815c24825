package io.tony.am.loop;

import io.tony.am.http.NoFreePortException;
import io.tony.am.machine.Event;
import io.tony.am.machine.MachinePorts;
import io.tony.event.JobFact;
import io.tony.eventlog.Journal;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An error in this program. The event that led to it is in no log, so that another
 * ApplicationMaster, which replays the log, may well get past it: one that meets a defect ends like
 * one that is lost, and the gang trains on. Only the last one ends the job.
 */
public final class DefectHandler {
  private static final Logger LOG = LoggerFactory.getLogger(DefectHandler.class);

  private DefectHandler() {}

  /**
   * Runs the job to its end, and ends it here where it meets a defect that is not left to another
   * ApplicationMaster.
   *
   * @param hasSuccessor whether YARN starts another when this one is lost
   * @throws RuntimeException the defect, when it is
   */
  public static JobResult run(
      AmLoop loop,
      Event.AmReady ready,
      MachinePorts ports,
      Journal journal,
      BooleanSupplier hasSuccessor,
      String application)
      throws InterruptedException {
    try {
      return loop.run(ready, ports, journal);
    } catch (RuntimeException | Error e) {
      String problem =
          NoFreePortException.findCause(e).isPresent() ? "No free port" : "A defect of TonY";
      if (hasSuccessor.getAsBoolean()) {
        LOG.error("{}; another ApplicationMaster is to take the job over", problem, e);
        throw e;
      }
      LOG.error("{}, and no other ApplicationMaster is left to try", problem, e);
      return failJob(loop, e, journal, application);
    }
  }

  /** Ends a job with which no ApplicationMaster can go on. */
  public static JobResult failJob(
      AmLoop loop, Throwable cause, Journal journal, String application) {
    JobResult result = result(cause, application);
    loop.record(List.of(new JobFact.Stopping(result), new JobFact.Finished(result)), journal);
    return result;
  }

  /**
   * Whether YARN starts another ApplicationMaster when this one is lost now: it does as long as
   * fewer than so many were lost lately.
   *
   * @param earlierEvents what the ones before recorded
   * @param attempt which one this is, from 1; of those before, some may have recorded nothing
   * @param startedAt when this one did
   * @param window YARN forgets losses that are longer ago
   */
  public static boolean hasSuccessor(
      List<JobEvent> earlierEvents,
      int attempt,
      Instant startedAt,
      Instant now,
      Duration window,
      int maxLosses) {
    List<Instant> starts = new ArrayList<>();
    for (JobEvent event : earlierEvents) {
      if (event.type() == JobEvent.Type.AM_STARTED) {
        starts.add(event.time());
      }
    }
    starts.add(startedAt);
    // Each ApplicationMaster but the first started because one was lost; now this one is.
    // When one was lost that recorded nothing, nobody knows: it is counted, as YARN may count it.
    long lossCount = 1L + Math.max(0, attempt - starts.size());
    for (Instant start : starts.subList(1, starts.size())) {
      lossCount += start.isAfter(now.minus(window)) ? 1 : 0;
    }
    return lossCount < maxLosses;
  }

  private static JobResult result(Throwable defect, String application) {
    return JobResult.failed(
        FailureKind.AM_LOST,
        NoFreePortException.findCause(defect)
            .map(NoFreePortException::getMessage)
            .orElseGet(
                () ->
                    "a defect of TonY: "
                        + defect
                        + ". Please report it with am.log and the event log of "
                        + application
                        + " (docs/failures.md, \"A defect of TonY\")"));
  }
}
