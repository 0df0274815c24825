package io.tony.am.rpc;

import io.tony.am.loop.EventSink;
import io.tony.am.machine.Event;
import io.tony.am.rpc.Tunnel.Side;
import io.tony.model.TaskId;
import io.tony.model.TaskKey;
import io.tony.protocol.ReportLimits;
import io.tony.protocol.proto.TonyProtos.AwaitResponse;
import io.tony.protocol.proto.TonyProtos.OpenRequest;
import io.tony.protocol.proto.TonyProtos.OpenResponse;
import io.tony.protocol.proto.TonyProtos.OpenTunnel;
import io.tony.protocol.proto.TonyProtos.PutRequest;
import io.tony.protocol.proto.TonyProtos.PutResponse;
import io.tony.protocol.proto.TonyProtos.TakeRequest;
import io.tony.protocol.proto.TonyProtos.TakeResponse;
import io.tony.text.Strings;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Predicate;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tunnels of a job between clients and tasks. A shell is opened when the event log has it; the
 * connections to a task's port are not recorded. They end with their container, with the client
 * that wanted them, and with this ApplicationMaster.
 */
final class Tunnels {
  private static final Logger LOG = LoggerFactory.getLogger(Tunnels.class);

  /** Each may hold 800 KiB of this process's memory while nobody reads. */
  static final int MAX_TUNNELS = 64;

  /**
   * An executor's heap is small: each tunnel takes three threads and a few chunks of it. A browser
   * takes eight for one notebook, and one for each further.
   */
  static final int MAX_TUNNELS_PER_TASK = 32;

  /** With those that are closed, and whose ends have not learned it yet. */
  private static final int MAX_TRACKED_TUNNELS = 2 * MAX_TUNNELS;

  private static final int MAX_COMMAND_BYTES = 64 * 1024;

  /** Beside the data. */
  private static final int MAX_OVERHEAD_BYTES = 8 * 1024;

  private static final int MAX_NAMED_TASKS = 20;

  /** Between two looks for those with a silent end. */
  static final long CHECK_INTERVAL_MS = 5_000;

  private static final String CLOSED_MESSAGE = "the tunnel is closed";

  private final Map<Long, Tunnel> byNumber = new ConcurrentHashMap<>();
  private final boolean shellsAllowed;
  private final ScheduledExecutorService scheduler;
  private final InstantSource clock;
  private final InstantSource steady;
  private final Heartbeats heartbeats;
  private final Mailboxes mailboxes;
  private final EventSink sink;
  private long lastNumber;

  /**
   * None yet.
   *
   * @param shellsAllowed as the job's configuration has it
   * @param heartbeats knows the executors
   * @param mailboxes are told what is to be opened
   * @param sink gets the wish for a shell, and its end
   */
  Tunnels(
      boolean shellsAllowed,
      ScheduledExecutorService scheduler,
      InstantSource clock,
      InstantSource steady,
      Heartbeats heartbeats,
      Mailboxes mailboxes,
      EventSink sink) {
    this.shellsAllowed = shellsAllowed;
    this.scheduler = scheduler;
    this.clock = clock;
    this.steady = steady;
    this.heartbeats = heartbeats;
    this.mailboxes = mailboxes;
    this.sink = sink;
  }

  OpenResponse open(OpenRequest request) {
    if (request.hasShell() && !shellsAllowed) {
      return refusal("this cluster allows no shells in containers (tony.task.shell.enabled)");
    }
    if (request.getShell().getSerializedSize() > MAX_COMMAND_BYTES) {
      return refusal(
          "the command has "
              + request.getShell().getSerializedSize()
              + " bytes, of which it may have "
              + MAX_COMMAND_BYTES
              + ": put it into a file of the task");
    }
    List<TaskId> tasks = tasks();
    return heartbeats.executors().stream()
        .filter(key -> request.hasRole() ? matches(request, key.task()) : tasks.size() == 1)
        .max(Comparator.comparingInt(TaskKey::attempt)) // the container before may not be over yet
        .map(key -> open(key, request))
        .orElseGet(() -> refusal(noTask(request, tasks)));
  }

  private List<TaskId> tasks() {
    return heartbeats.executors().stream().map(TaskKey::task).distinct().toList();
  }

  private static boolean matches(OpenRequest request, TaskId task) {
    return task.role().equals(request.getRole()) && task.index() == request.getIndex();
  }

  private static String noTask(OpenRequest request, List<TaskId> tasks) {
    if (tasks.isEmpty()) {
      return "no task of the job is running";
    }
    List<String> names = tasks.stream().map(TaskId::toString).sorted().toList();
    String firstNames =
        String.join(", ", names.subList(0, Math.min(MAX_NAMED_TASKS, names.size())));
    String taskList =
        firstNames
            + (names.size() > MAX_NAMED_TASKS
                ? " and " + (names.size() - MAX_NAMED_TASKS) + " more"
                : "");
    return request.hasRole()
        ? "no task "
            + Strings.truncate(request.getRole(), ReportLimits.MAX_HOST_CHARS)
            + ":"
            + request.getIndex()
            + " is running; these are: "
            + taskList
        : "the job has several tasks; name one: " + taskList;
  }

  private static OpenResponse refusal(String problem) {
    return OpenResponse.newBuilder().setProblem(problem).build();
  }

  private OpenResponse open(TaskKey key, OpenRequest request) {
    Tunnel tunnel;
    synchronized (this) {
      if (count(open -> true) >= MAX_TUNNELS) {
        return refusal(
            MAX_TUNNELS + " shells and connections to this job are open, the limit: close one");
      }
      if (count(open -> open.isTo(key.container())) >= MAX_TUNNELS_PER_TASK) {
        return refusal(
            MAX_TUNNELS_PER_TASK
                + " shells and connections to "
                + key.task()
                + " are open, the limit");
      }
      if (byNumber.size() >= MAX_TRACKED_TUNNELS) {
        byNumber.values().stream()
            .filter(candidate -> !candidate.isOpen())
            .min(Comparator.comparingLong(Tunnel::number))
            .ifPresent(oldest -> byNumber.remove(oldest.number()));
      }
      // What an ApplicationMaster before this one opened is known by another number.
      lastNumber = Math.max(lastNumber + 1, clock.millis());
      OpenTunnel.Builder openCommand = OpenTunnel.newBuilder().setTunnel(lastNumber);
      if (request.hasShell()) {
        openCommand.setShell(request.getShell());
      }
      String clientName = Strings.truncate(request.getWho(), ReportLimits.MAX_HOST_CHARS);
      tunnel = new Tunnel(key, openCommand.build(), clientName, scheduler, steady);
      byNumber.put(lastNumber, tunnel);
    }
    if (heartbeats.executors().stream().noneMatch(other -> tunnel.isTo(other.container()))) {
      closeOfContainer(key.container()); // since it was found
    }
    if (request.hasShell()) {
      sink.offer(
          new Event.ShellRequested(clock.instant(), key, tunnel.clientName(), tunnel.number()));
    } else {
      sendOpenCommand(tunnel);
    }
    return OpenResponse.newBuilder().setTunnel(tunnel.number()).build();
  }

  private long count(Predicate<Tunnel> filter) {
    return byNumber.values().stream().filter(Tunnel::isOpen).filter(filter).count();
  }

  /** The event log has the shell by now. */
  void openShell(long number) {
    Tunnel tunnel = byNumber.get(number);
    if (tunnel == null) {
      return;
    }
    if (tunnel.markRecorded()) {
      LOG.info("a shell beside {} for {}", tunnel.key().task(), tunnel.clientName());
      sendOpenCommand(tunnel);
    } else {
      reportShellLeft(tunnel);
    }
  }

  /** The job has no place for it any more. */
  void refuseShell(long number, String why) {
    Tunnel tunnel = byNumber.get(number);
    if (tunnel != null) {
      close(tunnel, why);
    }
  }

  private void sendOpenCommand(Tunnel tunnel) {
    mailboxes.addSideCommand(
        tunnel.key().container(),
        AwaitResponse.newBuilder().setTunnel(tunnel.openCommand()).build());
    if (!tunnel.isOpen()) {
      mailboxes.forgetTunnel(tunnel.key().container(), tunnel.number());
    }
  }

  /** Null when the call is held. */
  PutResponse put(Side side, PutRequest request) throws ServiceException {
    Tunnel tunnel = find(side, request.getTunnel(), request.getTask().getContainer());
    if (tunnel == null) {
      return PutResponse.newBuilder().setTaken(false).setClosed(CLOSED_MESSAGE).build();
    }
    int maxBytes = io.tony.tunnel.Chunk.MAX_BYTES + MAX_OVERHEAD_BYTES;
    if (request.getSerializedSize() > maxBytes) {
      throw new ServiceException("what is put into a tunnel has at most " + maxBytes + " bytes");
    }
    return tunnel.put(side, request.getChunk());
  }

  /** Null when the call is held. */
  TakeResponse take(Side side, TakeRequest request) {
    Tunnel tunnel = find(side, request.getTunnel(), request.getTask().getContainer());
    return tunnel == null
        ? TakeResponse.newBuilder().setClosed(CLOSED_MESSAGE).build()
        : tunnel.take(side, request.getKnown());
  }

  /** An executor is given those of the container that it says it is in. */
  private Tunnel find(Side side, long number, String container) {
    Tunnel tunnel = byNumber.get(number);
    boolean mayUse = tunnel != null && (side == Side.CLIENT || tunnel.isTo(container));
    return mayUse ? tunnel : null;
  }

  /** Its client wants it no more. */
  void close(long number) {
    Tunnel tunnel = byNumber.get(number);
    if (tunnel != null) {
      close(tunnel, "its client has closed it");
    }
  }

  void closeOfContainer(String container) {
    for (Tunnel tunnel : byNumber.values()) {
      if (tunnel.isTo(container)) {
        close(tunnel, "the container of " + tunnel.key().task() + " has ended");
      }
    }
  }

  void closeAll() {
    byNumber.values().forEach(tunnel -> close(tunnel, "the job has ended"));
  }

  private void close(Tunnel tunnel, String why) {
    boolean wasRecorded = tunnel.close(why);
    mailboxes.forgetTunnel(tunnel.key().container(), tunnel.number());
    if (wasRecorded) {
      LOG.info(
          "the shell beside {} for {} is left: {}", tunnel.key().task(), tunnel.clientName(), why);
      reportShellLeft(tunnel);
    }
  }

  private void reportShellLeft(Tunnel tunnel) {
    sink.offer(new Event.ShellClosed(clock.instant(), tunnel.key(), tunnel.clientName()));
  }

  /** Run every {@link #CHECK_INTERVAL_MS}: closes those of which an end is gone. */
  void closeSilent() {
    for (Tunnel tunnel : byNumber.values()) {
      String reason = tunnel.silenceReason();
      if (!reason.isEmpty()) {
        close(tunnel, reason);
      }
    }
    byNumber.values().removeIf(Tunnel::isExpired);
  }
}
