package io.tony.am.rpc;

import io.tony.model.Beginning;
import io.tony.model.TaskKey;
import io.tony.protocol.ReportLimits;
import io.tony.protocol.proto.TonyProtos.AskForStacks;
import io.tony.protocol.proto.TonyProtos.AwaitResponse;
import io.tony.protocol.proto.TonyProtos.StacksRequest;
import io.tony.protocol.proto.TonyProtos.StacksResponse;
import io.tony.protocol.proto.TonyProtos.StacksTold;
import io.tony.protocol.proto.TonyProtos.TaskStacks;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** What clients want to know of where programs stand, and what executors answer. */
final class StackQuestions {
  /** More than an executor takes, and less than a held call's patience. */
  private static final long LIMIT_MS = 12_000;

  /** One question to some executors, by container. */
  private static final class Open {
    final long question;
    final boolean whole;
    final Map<String, TaskKey> asked = new LinkedHashMap<>();
    final Map<String, StacksTold> told = new LinkedHashMap<>();
    HeldCall call;
    ScheduledFuture<?> expiry;

    Open(long question, boolean whole) {
      this.question = question;
      this.whole = whole;
    }
  }

  private final ScheduledExecutorService scheduler;
  private final InstantSource clock;
  private final Heartbeats heartbeats;
  private final Mailboxes mailboxes;
  private final Map<Long, Open> open = new TreeMap<>();
  private long last;

  StackQuestions(
      ScheduledExecutorService scheduler,
      InstantSource clock,
      Heartbeats heartbeats,
      Mailboxes mailboxes) {
    this.scheduler = scheduler;
    this.clock = clock;
    this.heartbeats = heartbeats;
    this.mailboxes = mailboxes;
  }

  /** The answer where there is nobody to ask; else null, and the call is held. */
  StacksResponse ask(StacksRequest request) {
    Open asked = begin(request);
    if (asked.asked.isEmpty()) {
      return StacksResponse.getDefaultInstance();
    }
    AwaitResponse question =
        AwaitResponse.newBuilder()
            .setStacks(
                AskForStacks.newBuilder().setQuestion(asked.question).setWhole(request.hasRole()))
            .build();
    asked.asked.keySet().forEach(container -> mailboxes.tellAside(container, question));
    return null;
  }

  /** What was asked by an ApplicationMaster before this one is known by another number. */
  private synchronized Open begin(StacksRequest request) {
    last = Math.max(last + 1, clock.millis());
    Open begun = new Open(last, request.hasRole());
    for (TaskKey key : heartbeats.executors()) {
      boolean wanted =
          !request.hasRole()
              || (key.task().role().equals(request.getRole())
                  && key.task().index() == request.getIndex());
      if (wanted) {
        begun.asked.put(key.container(), key);
      }
    }
    if (!begun.asked.isEmpty()) {
      begun.call = HeldCall.hold(StacksResponse.getDefaultInstance(), scheduler);
      open.put(begun.question, begun);
      begun.expiry = scheduler.schedule(() -> end(begun.question), LIMIT_MS, TimeUnit.MILLISECONDS);
    }
    return begun;
  }

  void told(TaskKey key, StacksTold told) {
    boolean all;
    synchronized (this) {
      Open asked = open.get(told.getQuestion());
      if (asked == null || !asked.asked.containsKey(key.container())) {
        return; // it came too late
      }
      asked.told.put(key.container(), within(told, asked.whole));
      all = asked.told.size() == asked.asked.size();
    }
    if (all) {
      end(told.getQuestion());
    }
  }

  private static StacksTold within(StacksTold told, boolean whole) {
    StacksTold.Builder within =
        StacksTold.newBuilder()
            .setQuestion(told.getQuestion())
            .setPlace(Beginning.of(told.getPlace(), ReportLimits.STANDS));
    if (told.hasText() && whole) {
      within.setText(Beginning.of(told.getText(), ReportLimits.STACKS));
    }
    if (told.hasProblem()) {
      within.setProblem(Beginning.of(told.getProblem(), ReportLimits.MESSAGE));
    }
    return within.build();
  }

  private void end(long question) {
    Open ended;
    synchronized (this) {
      ended = open.remove(question);
    }
    if (ended == null) {
      return; // all had answered
    }
    ended.expiry.cancel(false);
    StacksResponse.Builder answer = StacksResponse.newBuilder();
    ended.asked.forEach(
        (container, key) -> {
          TaskStacks.Builder task =
              TaskStacks.newBuilder().setRole(key.task().role()).setIndex(key.task().index());
          StacksTold told = ended.told.get(container);
          if (told != null) {
            task.setTold(told);
          }
          answer.addTasks(task);
        });
    ended.call.answer(answer.build());
  }
}
