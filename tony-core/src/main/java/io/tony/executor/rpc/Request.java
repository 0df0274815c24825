package io.tony.executor.rpc;

import io.tony.model.TaskKey;
import io.tony.tunnel.Chunk;
import java.util.Map;

/** A call of {@code TaskService} in {@code tony.proto}, which has the numbers of the fields. */
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

  /** Its argument, as it is sent. */
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

  /** To an ApplicationMaster that may not know what others were told of it before. */
  public static Request register(Registration registration, Told lastTold) {
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
    if (lastTold.toldBy() != 0) {
      message.message(
          7, new WireWriter().number(1, lastTold.events()).number(2, lastTold.toldBy()));
    }
    return of("register", message);
  }

  /**
   * For the next command; once {@code started}, to start no more.
   *
   * @param askedMs when the last checkpoint was asked for in this attempt; 0 for none
   * @param known what was taken up beside the task's course
   */
  public static Request awaitCommand(TaskKey task, boolean started, long askedMs, Known known) {
    WireWriter message =
        new WireWriter().message(1, task(task)).flag(2, started).number(3, askedMs);
    if (known.stacks() != 0) {
      message.number(4, known.stacks());
    }
    if (known.tunnel() != 0) {
      message.number(5, known.tunnel());
    }
    return of("awaitCommand", message);
  }

  /** What comes from this end of a tunnel. */
  public static Request put(TaskKey task, long tunnel, Chunk chunk) {
    return of(
        "put",
        new WireWriter()
            .number(1, tunnel)
            .message(2, TunnelMessages.of(chunk))
            .message(3, task(task)));
  }

  /** For the next chunk of a tunnel after the one that is known. */
  public static Request take(TaskKey task, long tunnel, long known) {
    return of("take", new WireWriter().number(1, tunnel).number(2, known).message(3, task(task)));
  }

  public static Request started(TaskKey task, long pid) {
    return of("started", new WireWriter().message(1, task(task)).number(2, pid));
  }

  /** {@code tokensVersion} is of the tokens that the program has. */
  public static Request heartbeat(TaskKey task, Beat beat, long tokensVersion) {
    WireWriter message = new WireWriter().message(1, task(task));
    if (beat.progress() != null) {
      message.text(2, beat.progress());
    }
    if (beat.tensorBoardListens()) {
      message.flag(3, true);
    }
    if (beat.sample() != null) {
      message.message(4, sample(beat.sample()));
    }
    message.number(5, tokensVersion);
    if (beat.stands() != null) {
      message.text(6, beat.stands());
    }
    for (Kept kept : beat.kept()) {
      message.message(7, kept(kept));
    }
    if (beat.stacks() != null) {
      message.message(8, stacks(beat.stacks()));
    }
    if (beat.held() != null) {
      message.message(
          9,
          new WireWriter()
              .number(1, beat.held().code())
              .number(2, beat.heldFor().toMillis())
              .text(3, beat.held().stderrTail())
              .text(4, beat.held().executorMessage()));
    }
    return of("heartbeat", message);
  }

  private static WireWriter stacks(StacksTold told) {
    WireWriter message = new WireWriter().number(1, told.question()).text(2, told.place());
    if (told.text() != null) {
      message.text(3, told.text());
    }
    if (!told.problem().isEmpty()) {
      message.text(4, told.problem());
    }
    return message;
  }

  private static WireWriter kept(Kept kept) {
    WireWriter message =
        new WireWriter()
            .text(1, kept.set())
            .flag(2, kept.step())
            .number(3, kept.bytes())
            .number(4, kept.tookMs())
            .number(5, kept.namedMs());
    if (kept.problem() != null) {
      message.text(6, kept.problem());
    }
    message.text(7, kept.path());
    if (kept.kept() != null) {
      message.text(8, kept.kept());
    }
    if (kept.askedMs() != 0) {
      message.number(9, kept.askedMs());
    }
    return message;
  }

  private static WireWriter sample(Sample sample) {
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

  public static Request exited(TaskKey task, Exit exit) {
    WireWriter message =
        new WireWriter().message(1, task(task)).number(2, exit.code()).text(3, exit.stderrTail());
    for (Map.Entry<String, String> output : exit.outputs().entrySet()) {
      message.message(4, entry(output));
    }
    message.text(5, exit.executorMessage()).flag(6, exit.timedOut()).flag(7, exit.portTaken());
    if (!exit.outputsLeftOut().isEmpty()) {
      message.text(8, exit.outputsLeftOut());
    }
    message.text(9, exit.progress());
    if (exit.stands() != null) {
      message.text(10, exit.stands());
    }
    message.number(12, exit.endedMs()).flag(13, exit.byItself());
    if (exit.preflightFailed()) {
      message.flag(14, true);
    }
    if (exit.checkpointUnusable()) {
      message.flag(15, true);
    }
    return of("exited", message);
  }
}
