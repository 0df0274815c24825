package io.tony.executor.rpc;

import io.tony.model.TaskKey;
import io.tony.tunnel.Chunk;
import java.util.Map;

/**
 * A request to {@code TaskService}, the ApplicationMaster's service for executors. {@code
 * tony.proto} defines the field numbers.
 */
public final class Request {
  private final String method;
  private final byte[] message;

  private Request(String method, byte[] message) {
    this.method = method;
    this.message = message;
  }

  String method() {
    return method;
  }

  /** Returns the request's encoded message. */
  byte[] message() {
    return message;
  }

  private static Request of(String method, WireWriter message) {
    return new Request(method, message.toBytes());
  }

  private static WireWriter task(TaskKey key) {
    return new WireWriter()
        .text(1, key.task().role())
        .number(2, key.task().index())
        .number(3, key.attempt())
        .text(4, key.container());
  }

  private static WireWriter entry(Map.Entry<String, String> entry) {
    return new WireWriter().text(1, entry.getKey()).text(2, entry.getValue());
  }

  /**
   * Registers a task.
   *
   * @param lastReply last heartbeat reply of an earlier ApplicationMaster, from which this one can
   *     detect lost events of the event log; {@link HeartbeatReply#NONE} if there is none
   */
  public static Request register(TaskRegistration registration, HeartbeatReply lastReply) {
    WireWriter message =
        new WireWriter()
            .message(1, task(registration.task()))
            .text(2, registration.host())
            .number(3, registration.port())
            .number(4, registration.tensorBoardPort());
    if (registration.pid() != 0) {
      message.number(5, registration.pid());
    }
    if (registration.tensorBoardListens()) {
      message.flag(6, true);
    }
    if (lastReply.masterAttempt() != 0) {
      message.message(
          7,
          new WireWriter().number(1, lastReply.eventCount()).number(2, lastReply.masterAttempt()));
    }
    return of("register", message);
  }

  /**
   * Requests the next command.
   *
   * @param started if true, no start command is returned
   * @param askedMs time of the last checkpoint request that this attempt has received; 0 for none
   * @param handled stacks and tunnel requests that must not be returned again
   */
  public static Request awaitCommand(
      TaskKey task, boolean started, long askedMs, HandledSideCommands handled) {
    WireWriter message =
        new WireWriter().message(1, task(task)).flag(2, started).number(3, askedMs);
    if (handled.stacksRequestId() != 0) {
      message.number(4, handled.stacksRequestId());
    }
    if (handled.tunnelId() != 0) {
      message.number(5, handled.tunnelId());
    }
    return of("awaitCommand", message);
  }

  /** Sends a chunk from this end of a tunnel. */
  public static Request put(TaskKey task, long tunnel, Chunk chunk) {
    return of(
        "put",
        new WireWriter()
            .number(1, tunnel)
            .message(2, TunnelMessages.of(chunk))
            .message(3, task(task)));
  }

  /** Requests the chunk of a tunnel that follows the chunk with the number {@code lastNumber}. */
  public static Request take(TaskKey task, long tunnel, long lastNumber) {
    return of(
        "take", new WireWriter().number(1, tunnel).number(2, lastNumber).message(3, task(task)));
  }

  public static Request started(TaskKey task, long pid) {
    return of("started", new WireWriter().message(1, task(task)).number(2, pid));
  }

  /**
   * Sends a heartbeat.
   *
   * @param tokensVersion version of the tokens that the program has; if there are newer ones, the
   *     ApplicationMaster replies with them
   */
  public static Request heartbeat(TaskKey task, Heartbeat heartbeat, long tokensVersion) {
    WireWriter message = new WireWriter().message(1, task(task));
    if (heartbeat.progress() != null) {
      message.text(2, heartbeat.progress());
    }
    if (heartbeat.tensorBoardListens()) {
      message.flag(3, true);
    }
    if (heartbeat.sample() != null) {
      message.message(4, sample(heartbeat.sample()));
    }
    message.number(5, tokensVersion);
    if (heartbeat.hangLocation() != null) {
      message.text(6, heartbeat.hangLocation());
    }
    for (CheckpointOutcome outcome : heartbeat.checkpointOutcomes()) {
      message.message(7, checkpointOutcome(outcome));
    }
    if (heartbeat.stacks() != null) {
      message.message(8, stacks(heartbeat.stacks()));
    }
    Heartbeat.Hold hold = heartbeat.hold();
    if (hold != null) {
      message.message(
          9,
          new WireWriter()
              .number(1, hold.exit().code())
              .number(2, hold.limit().toMillis())
              .text(3, hold.exit().stderrTail())
              .text(4, hold.exit().executorMessage()));
    }
    return of("heartbeat", message);
  }

  private static WireWriter stacks(StackReport report) {
    WireWriter message = new WireWriter().number(1, report.requestId()).text(2, report.place());
    if (report.text() != null) {
      message.text(3, report.text());
    }
    if (!report.problem().isEmpty()) {
      message.text(4, report.problem());
    }
    return message;
  }

  private static WireWriter checkpointOutcome(CheckpointOutcome outcome) {
    WireWriter message =
        new WireWriter()
            .text(1, outcome.checkpointName())
            .flag(2, outcome.hasStep())
            .number(3, outcome.bytes())
            .number(4, outcome.durationMs())
            .number(5, outcome.namedMs());
    if (outcome.problem() != null) {
      message.text(6, outcome.problem());
    }
    message.text(7, outcome.path());
    if (outcome.uri() != null) {
      message.text(8, outcome.uri());
    }
    if (outcome.askedMs() != 0) {
      message.number(9, outcome.askedMs());
    }
    return message;
  }

  private static WireWriter sample(UsageSample sample) {
    WireWriter message =
        new WireWriter()
            .number(1, sample.memoryMiB())
            .number(2, sample.peakMiB())
            .number(3, sample.executorMiB())
            .real(4, sample.cores())
            .number(5, sample.spanMs());
    if (sample.gpus() != null) {
      message.number(6, sample.gpus().percent()).number(7, sample.gpus().memoryMiB());
    }
    return message;
  }

  public static Request exited(TaskKey task, ProgramExit exit) {
    WireWriter message =
        new WireWriter().message(1, task(task)).number(2, exit.code()).text(3, exit.stderrTail());
    for (Map.Entry<String, String> output : exit.outputs().entrySet()) {
      message.message(4, entry(output));
    }
    message.text(5, exit.executorMessage()).flag(6, exit.timedOut()).flag(7, exit.portTaken());
    if (!exit.omittedOutputs().isEmpty()) {
      message.text(8, exit.omittedOutputs());
    }
    message.text(9, exit.progress());
    if (exit.hangLocation() != null) {
      message.text(10, exit.hangLocation());
    }
    message.number(12, exit.endedMs()).flag(13, exit.endedByItself());
    if (exit.preflightFailed()) {
      message.flag(14, true);
    }
    if (exit.checkpointUnusable()) {
      message.flag(15, true);
    }
    return of("exited", message);
  }
}
