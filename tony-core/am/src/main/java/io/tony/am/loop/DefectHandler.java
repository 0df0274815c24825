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
 * Handles defects of TonY: exceptions that end the event loop. The event that led to a defect is
 * not in the event log, so another ApplicationMaster, which restores its state from the log, will
 * probably not run into the defect. An ApplicationMaster with a defect therefore ends as if it were
 * lost, and the gang's programs continue. Only the last ApplicationMaster ends the job.
 */
public final class DefectHandler {
  private static final Logger LOG = LoggerFactory.getLogger(DefectHandler.class);

  private DefectHandler() {}

  /**
   * Runs the job to its end. After a defect, ends the job only if no other ApplicationMaster can
   * continue it.
   *
   * @param tryHandOver closes the event log and returns true if YARN starts another
   *     ApplicationMaster, which takes the job over; returns false otherwise
   * @param application id of the application, for the message to the user
   * @throws RuntimeException the defect, if the job was handed over; an {@link Error} is rethrown,
   *     too
   */
  public static JobResult run(
      AmLoop loop,
      Event.AmReady ready,
      MachinePorts ports,
      Journal journal,
      BooleanSupplier tryHandOver,
      String application)
      throws InterruptedException {
    try {
      return loop.run(ready, ports, journal);
    } catch (RuntimeException | Error e) {
      String problem =
          NoFreePortException.findCause(e).isPresent() ? "No free port" : "A defect of TonY";
      if (tryHandOver.getAsBoolean()) {
        LOG.error("{}; another ApplicationMaster is to take the job over", problem, e);
        throw e;
      }
      LOG.error("{}, and no other ApplicationMaster is left to try", problem, e);
      return failJob(loop, e, journal, application);
    }
  }

  /**
   * Records in the event log that the job failed and has finished, and returns that result. Call
   * only if no other ApplicationMaster can continue the job.
   *
   * @param cause the defect, or a {@link io.tony.am.http.NoFreePortException}
   * @param application id of the application, for the message to the user
   */
  public static JobResult failJob(
      AmLoop loop, Throwable cause, Journal journal, String application) {
    JobResult result = result(cause, application);
    loop.record(List.of(new JobFact.Stopping(result), new JobFact.Finished(result)), journal);
    return result;
  }

  /**
   * Returns true if YARN starts another ApplicationMaster in case this one is lost now: if,
   * including that loss, fewer than {@code maxLosses} ApplicationMasters were lost within the
   * window.
   *
   * @param earlierEvents events recorded by earlier ApplicationMasters
   * @param attempt number of this ApplicationMaster, from 1. Some earlier ApplicationMasters may
   *     have recorded no event.
   * @param startedAt when this ApplicationMaster started
   * @param window how long YARN counts a loss
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
    // Count the loss of this ApplicationMaster, one loss before each recorded start except the
    // first (if it lies within the window), and each earlier ApplicationMaster that recorded no
    // start: it may have been lost within the window.
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
