package io.tony.am.rpc;

import io.tony.model.TaskKey;
import io.tony.protocol.ReportLimits;
import io.tony.protocol.proto.TonyProtos.AskForStacks;
import io.tony.protocol.proto.TonyProtos.AwaitResponse;
import io.tony.protocol.proto.TonyProtos.StackReport;
import io.tony.protocol.proto.TonyProtos.StacksRequest;
import io.tony.protocol.proto.TonyProtos.StacksResponse;
import io.tony.protocol.proto.TonyProtos.TaskStacks;
import io.tony.text.Strings;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Clients' requests for the stacks of the user's programs, and the executors' replies. Thread-safe.
 */
final class StackRequests {
  /**
   * Milliseconds to wait for all replies: longer than an executor takes, and shorter than {@link
   * HeldCall#MAX_HOLD_MS}.
   */
  private static final long TIMEOUT_MS = 12_000;

  /** A client's request to one or more executors; their replies are by container. */
  private record PendingRequest(
      long number,
      boolean full,
      Map<String, TaskKey> executors,
      Map<String, StackReport> replies,
      HeldCall call,
      ScheduledFuture<?> expiry) {}

  private final ScheduledExecutorService scheduler;
  private final InstantSource clock;
  private final Heartbeats heartbeats;
  private final Mailboxes mailboxes;
  private final Map<Long, PendingRequest> pendingRequests = new TreeMap<>();
  private long lastNumber;

  StackRequests(
      ScheduledExecutorService scheduler,
      InstantSource clock,
      Heartbeats heartbeats,
      Mailboxes mailboxes) {
    this.scheduler = scheduler;
    this.clock = clock;
    this.heartbeats = heartbeats;
    this.mailboxes = mailboxes;
  }

  /**
   * Sends the request to the executors and holds the call, returning null. If there is no executor
   * to ask, returns the answer.
   */
  @Nullable StacksResponse request(StacksRequest request) {
    Optional<PendingRequest> created = create(request);
    if (created.isEmpty()) {
      return StacksResponse.getDefaultInstance();
    }
    PendingRequest pending = created.get();
    AwaitResponse command =
        AwaitResponse.newBuilder()
            .setStacks(
                AskForStacks.newBuilder().setQuestion(pending.number).setWhole(request.hasRole()))
            .build();
    pending.executors.keySet().forEach(container -> mailboxes.addSideCommand(container, command));
    return null;
  }

  /**
   * Creates a request and holds the call; empty if there is no executor to ask. The request's
   * number is taken from the clock, so that it differs from the numbers of earlier
   * ApplicationMasters.
   */
  private synchronized Optional<PendingRequest> create(StacksRequest request) {
    Map<String, TaskKey> executors = new LinkedHashMap<>();
    for (TaskKey key : heartbeats.executors()) {
      boolean matches =
          !request.hasRole()
              || (key.task().role().equals(request.getRole())
                  && key.task().index() == request.getIndex());
      if (matches) {
        executors.put(key.container(), key);
      }
    }
    if (executors.isEmpty()) {
      return Optional.empty();
    }
    long number = Math.max(lastNumber + 1, clock.millis());
    lastNumber = number;
    PendingRequest pending =
        new PendingRequest(
            number,
            request.hasRole(),
            executors,
            new LinkedHashMap<>(),
            HeldCall.hold(StacksResponse.getDefaultInstance(), scheduler),
            scheduler.schedule(() -> finish(number), TIMEOUT_MS, TimeUnit.MILLISECONDS));
    pendingRequests.put(number, pending);
    return Optional.of(pending);
  }

  void addReply(TaskKey key, StackReport reply) {
    boolean complete;
    synchronized (this) {
      PendingRequest pending = pendingRequests.get(reply.getQuestion());
      if (pending == null || !pending.executors.containsKey(key.container())) {
        // The request is already answered, or was not sent to this executor.
        return;
      }
      pending.replies.put(key.container(), truncate(reply, pending.full));
      complete = pending.replies.size() == pending.executors.size();
    }
    if (complete) {
      finish(reply.getQuestion());
    }
  }

  private static StackReport truncate(StackReport reply, boolean full) {
    StackReport.Builder truncated =
        StackReport.newBuilder()
            .setQuestion(reply.getQuestion())
            .setPlace(Strings.truncate(reply.getPlace(), ReportLimits.MAX_HANG_LOCATION_CHARS));
    if (reply.hasText() && full) {
      truncated.setText(Strings.truncate(reply.getText(), ReportLimits.MAX_STACKS_CHARS));
    }
    if (reply.hasProblem()) {
      truncated.setProblem(Strings.truncate(reply.getProblem(), ReportLimits.MAX_MESSAGE_CHARS));
    }
    return truncated.build();
  }

  private void finish(long number) {
    PendingRequest pending;
    synchronized (this) {
      pending = pendingRequests.remove(number);
    }
    if (pending == null) {
      // Another thread has already answered the request.
      return;
    }
    pending.expiry.cancel(false);
    StacksResponse.Builder answer = StacksResponse.newBuilder();
    pending.executors.forEach(
        (container, key) -> {
          TaskStacks.Builder task =
              TaskStacks.newBuilder().setRole(key.task().role()).setIndex(key.task().index());
          StackReport reply = pending.replies.get(container);
          if (reply != null) {
            task.setReport(reply);
          }
          answer.addTasks(task);
        });
    pending.call.answer(answer.build());
  }
}
