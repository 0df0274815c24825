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
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Predicate;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tunnels between clients and tasks of a job: shells, and connections to ports of a task. A shell
 * is opened only after its request is in the event log; connections are not recorded. A tunnel ends
 * with its container, with its client or with this ApplicationMaster. Thread-safe.
 */
final class Tunnels {
  private static final Logger LOG = LoggerFactory.getLogger(Tunnels.class);

  /**
   * Maximum number of open tunnels of the job. Each may take 800 KiB of this process's memory while
   * its ends do not read.
   */
  static final int MAX_TUNNELS = 64;

  /**
   * Maximum number of open tunnels of a task. Each takes three threads and some chunks of the
   * executor's small heap. A browser opens eight tunnels for the first notebook, and one for each
   * further notebook.
   */
  static final int MAX_TUNNELS_PER_TASK = 32;

  /**
   * Maximum number of tunnels in memory, including closed ones whose ends may not have learned it
   * yet.
   */
  private static final int MAX_TRACKED_TUNNELS = 2 * MAX_TUNNELS;

  private static final int MAX_COMMAND_BYTES = 64 * 1024;

  /** Maximum number of bytes of a chunk's message in addition to its data. */
  private static final int MAX_OVERHEAD_BYTES = 8 * 1024;

  private static final int MAX_NAMED_TASKS = 20;

  /** Interval of {@link #closeSilent}, in milliseconds. */
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
   * Creates the object without any tunnel.
   *
   * @param shellsAllowed whether the job's configuration allows shells
   * @param heartbeats knows the executors
   * @param mailboxes gets the commands to open tunnels
   * @param sink gets events: that a shell was requested, and that it ended
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
        // Take the latest attempt: an earlier container of the task may still be running.
        .max(Comparator.comparingInt(TaskKey::attempt))
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
      Optional<String> excess = exceededLimit(key);
      if (excess.isPresent()) {
        return refusal(excess.get());
      }
      makeRoom();
      tunnel = track(key, request);
    }
    if (heartbeats.executors().stream().noneMatch(other -> tunnel.isTo(other.container()))) {
      // The container has ended since its executor was found.
      closeOfContainer(key.container());
    }
    if (request.hasShell()) {
      sink.offer(
          new Event.ShellRequested(clock.instant(), key, tunnel.clientName(), tunnel.number()));
    } else {
      sendOpenCommand(tunnel);
    }
    return OpenResponse.newBuilder().setTunnel(tunnel.number()).build();
  }

  /** Returns the limit that one more tunnel to the task would exceed, as a sentence. */
  private Optional<String> exceededLimit(TaskKey key) {
    if (count(open -> true) >= MAX_TUNNELS) {
      return Optional.of(
          MAX_TUNNELS + " shells and connections to this job are open, the limit: close one");
    }
    if (count(open -> open.isTo(key.container())) >= MAX_TUNNELS_PER_TASK) {
      return Optional.of(
          MAX_TUNNELS_PER_TASK
              + " shells and connections to "
              + key.task()
              + " are open, the limit");
    }
    return Optional.empty();
  }

  /** Forgets the oldest closed tunnel if there are too many in memory. */
  private void makeRoom() {
    if (byNumber.size() >= MAX_TRACKED_TUNNELS) {
      byNumber.values().stream()
          .filter(candidate -> !candidate.isOpen())
          .min(Comparator.comparingLong(Tunnel::number))
          .ifPresent(oldest -> byNumber.remove(oldest.number()));
    }
  }

  /** Creates the tunnel, with a number that no tunnel of the job has had. */
  private Tunnel track(TaskKey key, OpenRequest request) {
    // Take the number from the clock, so that it differs from the numbers of earlier
    // ApplicationMasters.
    lastNumber = Math.max(lastNumber + 1, clock.millis());
    OpenTunnel.Builder openCommand = OpenTunnel.newBuilder().setTunnel(lastNumber);
    if (request.hasShell()) {
      openCommand.setShell(request.getShell());
    }
    String clientName = Strings.truncate(request.getWho(), ReportLimits.MAX_HOST_CHARS);
    Tunnel tunnel = new Tunnel(key, openCommand.build(), clientName, scheduler, steady);
    byNumber.put(lastNumber, tunnel);
    return tunnel;
  }

  private long count(Predicate<Tunnel> filter) {
    return byNumber.values().stream().filter(Tunnel::isOpen).filter(filter).count();
  }

  /** Orders the executor to open the shell, whose request is in the event log now. */
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

  /** Closes a requested shell's tunnel, because the job does not allow the shell any more. */
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

  /** Passes a chunk from one end; returns the answer, or null if the call is held. */
  @Nullable PutResponse put(Side side, PutRequest request) throws ServiceException {
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

  /** Returns the next chunk for one end, or null if the call is held. */
  @Nullable TakeResponse take(Side side, TakeRequest request) {
    Tunnel tunnel = find(side, request.getTunnel(), request.getTask().getContainer());
    return tunnel == null
        ? TakeResponse.newBuilder().setClosed(CLOSED_MESSAGE).build()
        : tunnel.take(side, request.getKnown());
  }

  /**
   * Returns the tunnel; null if there is none. For an executor, also null unless the tunnel is to
   * its own container.
   */
  private @Nullable Tunnel find(Side side, long number, String container) {
    Tunnel tunnel = byNumber.get(number);
    boolean mayUse = tunnel != null && (side == Side.CLIENT || tunnel.isTo(container));
    return mayUse ? tunnel : null;
  }

  /** Closes a tunnel because its client requests it. */
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

  /**
   * Closes the tunnels of which an end has been silent for too long. Runs every {@link
   * #CHECK_INTERVAL_MS}.
   */
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
