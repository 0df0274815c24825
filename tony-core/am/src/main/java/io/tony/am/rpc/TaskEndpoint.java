package io.tony.am.rpc;

import io.tony.am.checkpoint.StartCheckpoints;
import io.tony.am.loop.EventSink;
import io.tony.am.machine.Event;
import io.tony.am.usage.Metrics;
import io.tony.model.Endpoint;
import io.tony.model.TaskId;
import io.tony.model.TaskKey;
import io.tony.model.TaskUsage;
import io.tony.protocol.ReportLimits;
import io.tony.protocol.TaskProtocol;
import io.tony.protocol.TonyToken;
import io.tony.protocol.proto.TonyProtos.AwaitRequest;
import io.tony.protocol.proto.TonyProtos.AwaitResponse;
import io.tony.protocol.proto.TonyProtos.ContainerHold;
import io.tony.protocol.proto.TonyProtos.Empty;
import io.tony.protocol.proto.TonyProtos.Entry;
import io.tony.protocol.proto.TonyProtos.ExitedRequest;
import io.tony.protocol.proto.TonyProtos.HeartbeatRequest;
import io.tony.protocol.proto.TonyProtos.HeartbeatResponse;
import io.tony.protocol.proto.TonyProtos.PutRequest;
import io.tony.protocol.proto.TonyProtos.PutResponse;
import io.tony.protocol.proto.TonyProtos.RegisterRequest;
import io.tony.protocol.proto.TonyProtos.Sample;
import io.tony.protocol.proto.TonyProtos.StartedRequest;
import io.tony.protocol.proto.TonyProtos.TakeRequest;
import io.tony.protocol.proto.TonyProtos.TakeResponse;
import io.tony.text.Strings;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.thirdparty.protobuf.RpcController;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;
import org.jspecify.annotations.Nullable;

/**
 * Implements the task protocol: converts executors' reports into events, and lets executors wait
 * for commands.
 */
final class TaskEndpoint implements TaskProtocol {
  private static final Empty DONE = Empty.getDefaultInstance();

  private final EventSink sink;
  private final InstantSource clock;
  private final Mailboxes mailboxes;
  private final Heartbeats heartbeats;
  private final Metrics metrics;
  private final EventFeed feed;
  private final TokenUpdates tokens;
  private final CheckpointReportHandler checkpointReports;
  private final StackRequests stacks;
  private final Tunnels tunnels;

  TaskEndpoint(
      EndpointServices services,
      Mailboxes mailboxes,
      Heartbeats heartbeats,
      Metrics metrics,
      StartCheckpoints checkpoints) {
    this.sink = services.sink();
    this.clock = services.clock();
    this.feed = services.feed();
    this.tokens = services.tokens();
    this.stacks = services.stacks();
    this.tunnels = services.tunnels();
    this.mailboxes = mailboxes;
    this.heartbeats = heartbeats;
    this.metrics = metrics;
    this.checkpointReports = new CheckpointReportHandler(sink, clock, checkpoints);
  }

  @Override
  public Empty register(RpcController controller, RegisterRequest request) throws ServiceException {
    CallerAuthorization.require(TonyToken.Audience.EXECUTOR);
    TaskKey key = key(request.getTask());
    heartbeats.register(key);
    // Mark the executor as registered before the event is offered: at the event, the loop may order
    // the executor to stop, and the executor's mailbox must exist then.
    mailboxes.markRegistered(key);
    sink.offer(
        new Event.TaskRegistered(
            clock.instant(),
            key,
            new Endpoint(
                Strings.truncate(request.getHost(), ReportLimits.MAX_HOST_CHARS),
                request.getPort()),
            request.getTensorboardPort()));
    if (request.hasLastHeartbeat()) {
      HeartbeatResponse lastResponse = request.getLastHeartbeat();
      feed.checkSeen(
          "the executor of " + key.task(),
          lastResponse.getEvents(),
          lastResponse.getMasterAttempt());
    }
    if (request.hasPid()) {
      // Report the program's start again: an earlier ApplicationMaster may have been lost before it
      // recorded it.
      sink.offer(new Event.TaskStarted(clock.instant(), key, request.getPid()));
    }
    if (request.getTensorboardListens()) {
      sink.offer(new Event.TensorBoardListens(clock.instant(), key));
    }
    return DONE;
  }

  @Override
  public @Nullable AwaitResponse awaitCommand(RpcController controller, AwaitRequest request)
      throws ServiceException {
    CallerAuthorization.require(TonyToken.Audience.EXECUTOR);
    return mailboxes.await(key(request.getTask()), request);
  }

  @Override
  public Empty started(RpcController controller, StartedRequest request) throws ServiceException {
    CallerAuthorization.require(TonyToken.Audience.EXECUTOR);
    sink.offer(new Event.TaskStarted(clock.instant(), key(request.getTask()), request.getPid()));
    return DONE;
  }

  @Override
  public HeartbeatResponse heartbeat(RpcController controller, HeartbeatRequest request)
      throws ServiceException {
    CallerAuthorization.require(TonyToken.Audience.EXECUTOR);
    TaskKey key = key(request.getTask());
    heartbeats.recordHeartbeat(key);
    if (request.hasSample()) {
      metrics.recordSample(key.task(), sample(request.getSample()));
    }
    if (request.hasProgress()) {
      String text = Strings.truncate(request.getProgress(), ReportLimits.MAX_PROGRESS_CHARS);
      metrics.recordProgress(key.task(), text);
      sink.offer(new Event.TaskProgressed(clock.instant(), key, text));
    }
    if (request.getTensorboardListens()) {
      sink.offer(new Event.TensorBoardListens(clock.instant(), key));
    }
    if (request.hasHangLocation()) {
      String location =
          Strings.truncate(request.getHangLocation(), ReportLimits.MAX_HANG_LOCATION_CHARS);
      sink.offer(new Event.HangReported(clock.instant(), key, location));
    }
    if (request.hasStacks()) {
      stacks.addReply(key, request.getStacks());
    }
    if (request.hasHold() && heartbeats.noteHold(key)) {
      sink.offer(heldEvent(key, request.getHold()));
    }
    checkpointReports.handle(key, request.getCheckpointsList());
    HeartbeatResponse.Builder answer =
        HeartbeatResponse.newBuilder()
            .setEvents(feed.eventCount())
            .setMasterAttempt(feed.masterAttempt());
    tokens.newerThan(request.getTokensVersion()).ifPresent(answer::setTokens);
    return answer.build();
  }

  private Event heldEvent(TaskKey key, ContainerHold held) {
    return new Event.TaskHeld(
        clock.instant(),
        key,
        held.getExitCode(),
        Duration.ofMillis(held.getForMs()),
        Strings.truncate(held.getStderrTail(), ReportLimits.MAX_STDERR_CHARS),
        Strings.truncate(held.getExecutorMessage(), ReportLimits.MAX_MESSAGE_CHARS));
  }

  @Override
  public Empty exited(RpcController controller, ExitedRequest request) throws ServiceException {
    CallerAuthorization.require(TonyToken.Audience.EXECUTOR);
    TaskKey key = key(request.getTask());
    heartbeats.noteExit(key);
    if (request.getPreflightFailed()) {
      String message =
          Strings.truncate(request.getExecutorMessage(), ReportLimits.MAX_MESSAGE_CHARS);
      sink.offer(new Event.PreflightFailed(clock.instant(), key, message));
      return DONE;
    }
    sink.offer(
        new Event.TaskExited(
            clock.instant(),
            key,
            new Event.Exit(
                request.getExitCode(),
                Strings.truncate(request.getStderrTail(), ReportLimits.MAX_STDERR_CHARS),
                outputs(request.getOutputsList()),
                Strings.truncate(request.getExecutorMessage(), ReportLimits.MAX_MESSAGE_CHARS),
                request.getTimedOut(),
                request.getPortTaken(),
                Strings.truncate(request.getOutputsLeftOut(), ReportLimits.MAX_MESSAGE_CHARS),
                Strings.truncate(request.getProgress(), ReportLimits.MAX_PROGRESS_CHARS),
                request.hasHangLocation()
                    ? Strings.truncate(
                        request.getHangLocation(), ReportLimits.MAX_HANG_LOCATION_CHARS)
                    : null,
                endTime(request),
                request.getByItself(),
                request.getCheckpointUnusable())));
    return DONE;
  }

  @Override
  public @Nullable PutResponse put(RpcController controller, PutRequest request)
      throws ServiceException {
    CallerAuthorization.require(TonyToken.Audience.EXECUTOR);
    return tunnels.put(Tunnel.Side.EXECUTOR, request);
  }

  @Override
  public @Nullable TakeResponse take(RpcController controller, TakeRequest request)
      throws ServiceException {
    CallerAuthorization.require(TonyToken.Audience.EXECUTOR);
    return tunnels.take(Tunnel.Side.EXECUTOR, request);
  }

  /** Returns when the program ended; null if the executor does not report it. */
  private static @Nullable Instant endTime(ExitedRequest request) {
    return request.getEndedMs() > 0 ? Instant.ofEpochMilli(request.getEndedMs()) : null;
  }

  /**
   * Returns the values that the program wrote to its output file, by name, in the order of the
   * report. Stops at the first one that exceeds the size limit for all of them.
   */
  private static Map<String, String> outputs(List<Entry> entries) {
    Map<String, String> outputs = new LinkedHashMap<>();
    int characters = 0;
    for (Entry entry : entries) {
      characters += entry.getKey().length() + entry.getValue().length();
      if (characters > ReportLimits.MAX_OUTPUTS_CHARS + ReportLimits.MAX_MODEL_PARAMETERS_CHARS) {
        break;
      }
      outputs.put(entry.getKey(), entry.getValue());
    }
    return outputs;
  }

  private static Metrics.Sample sample(Sample sample) {
    return new Metrics.Sample(
        new TaskUsage(
            sample.getMemoryMib(),
            sample.getCores(),
            sample.hasGpuPercent()
                ? new TaskUsage.GpuUsage(sample.getGpuPercent(), sample.getGpuMemoryMib())
                : null),
        Duration.ofMillis(sample.getSpanMs()),
        sample.getPeakMib(),
        sample.getExecutorMib());
  }

  private static TaskKey key(io.tony.protocol.proto.TonyProtos.TaskKey key) {
    return new TaskKey(
        new TaskId(key.getRole(), key.getIndex()), key.getAttempt(), key.getContainer());
  }
}
