package io.tony.am.rpc;

import io.tony.am.checkpoint.TaskCheckpoints;
import io.tony.am.loop.EventSink;
import io.tony.am.machine.Event;
import io.tony.am.usage.Metrics;
import io.tony.model.Beginning;
import io.tony.model.Endpoint;
import io.tony.model.TaskId;
import io.tony.model.TaskKey;
import io.tony.model.TaskUse;
import io.tony.protocol.ReportLimits;
import io.tony.protocol.TaskProtocol;
import io.tony.protocol.TonyToken;
import io.tony.protocol.proto.TonyProtos.AwaitRequest;
import io.tony.protocol.proto.TonyProtos.AwaitResponse;
import io.tony.protocol.proto.TonyProtos.Empty;
import io.tony.protocol.proto.TonyProtos.Entry;
import io.tony.protocol.proto.TonyProtos.ExitedRequest;
import io.tony.protocol.proto.TonyProtos.HeartbeatRequest;
import io.tony.protocol.proto.TonyProtos.HeartbeatResponse;
import io.tony.protocol.proto.TonyProtos.Held;
import io.tony.protocol.proto.TonyProtos.PutRequest;
import io.tony.protocol.proto.TonyProtos.PutResponse;
import io.tony.protocol.proto.TonyProtos.RegisterRequest;
import io.tony.protocol.proto.TonyProtos.Sample;
import io.tony.protocol.proto.TonyProtos.StartedRequest;
import io.tony.protocol.proto.TonyProtos.TakeRequest;
import io.tony.protocol.proto.TonyProtos.TakeResponse;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.thirdparty.protobuf.RpcController;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;

/** Turns what executors say into events, and lets them wait for what they are told. */
final class TaskEndpoint implements TaskProtocol {
  private static final Empty DONE = Empty.getDefaultInstance();

  private final EventSink sink;
  private final InstantSource clock;
  private final Mailboxes mailboxes;
  private final Heartbeats heartbeats;
  private final Metrics metrics;
  private final EventFeed feed;
  private final NewerTokens tokens;
  private final KeptReports kept;
  private final StackQuestions stacks;
  private final Tunnels tunnels;

  TaskEndpoint(
      EventSink sink,
      InstantSource clock,
      Mailboxes mailboxes,
      Heartbeats heartbeats,
      Metrics metrics,
      EventFeed feed,
      NewerTokens tokens,
      TaskCheckpoints checkpoints,
      StackQuestions stacks,
      Tunnels tunnels) {
    this.tunnels = tunnels;
    this.stacks = stacks;
    this.sink = sink;
    this.clock = clock;
    this.mailboxes = mailboxes;
    this.heartbeats = heartbeats;
    this.metrics = metrics;
    this.feed = feed;
    this.tokens = tokens;
    this.kept = new KeptReports(sink, clock, checkpoints);
  }

  @Override
  public Empty register(RpcController controller, RegisterRequest request) throws ServiceException {
    Callers.require(TonyToken.Audience.EXECUTOR);
    TaskKey key = key(request.getTask());
    heartbeats.begin(key);
    mailboxes.registered(key); // before the job can say that it is not one of its own
    sink.offer(
        new Event.TaskRegistered(
            clock.instant(),
            key,
            new Endpoint(Beginning.of(request.getHost(), ReportLimits.HOST), request.getPort()),
            request.getTensorboardPort()));
    if (request.hasLastTold()) {
      HeartbeatResponse told = request.getLastTold();
      feed.compare("the executor of " + key.task(), told.getEvents(), told.getToldBy());
    }
    if (request.hasPid()) {
      // The ApplicationMaster that was told of it may not have lived to write it down.
      sink.offer(new Event.TaskStarted(clock.instant(), key, request.getPid()));
    }
    if (request.getTensorboardListens()) {
      sink.offer(new Event.TensorBoardListens(clock.instant(), key));
    }
    return DONE;
  }

  @Override
  public AwaitResponse awaitCommand(RpcController controller, AwaitRequest request)
      throws ServiceException {
    Callers.require(TonyToken.Audience.EXECUTOR);
    return mailboxes.await(key(request.getTask()), request);
  }

  @Override
  public Empty started(RpcController controller, StartedRequest request) throws ServiceException {
    Callers.require(TonyToken.Audience.EXECUTOR);
    sink.offer(new Event.TaskStarted(clock.instant(), key(request.getTask()), request.getPid()));
    return DONE;
  }

  @Override
  public HeartbeatResponse heartbeat(RpcController controller, HeartbeatRequest request)
      throws ServiceException {
    Callers.require(TonyToken.Audience.EXECUTOR);
    TaskKey key = key(request.getTask());
    heartbeats.heard(key);
    if (request.hasSample()) {
      metrics.heard(key.task(), sample(request.getSample()));
    }
    if (request.hasProgress()) {
      String text = Beginning.of(request.getProgress(), ReportLimits.PROGRESS);
      metrics.progressed(key.task(), text);
      sink.offer(new Event.TaskProgressed(clock.instant(), key, text));
    }
    if (request.getTensorboardListens()) {
      sink.offer(new Event.TensorBoardListens(clock.instant(), key));
    }
    if (request.hasStands()) {
      String where = Beginning.of(request.getStands(), ReportLimits.STANDS);
      sink.offer(new Event.TaskStood(clock.instant(), key, where));
    }
    if (request.hasStacks()) {
      stacks.told(key, request.getStacks());
    }
    if (request.hasHeld() && heartbeats.noteHold(key)) {
      sink.offer(held(key, request.getHeld()));
    }
    kept.heard(key, request.getKeptList());
    HeartbeatResponse.Builder answer =
        HeartbeatResponse.newBuilder().setEvents(feed.told()).setToldBy(feed.teller());
    tokens.after(request.getTokensVersion()).ifPresent(answer::setTokens);
    return answer.build();
  }

  private Event held(TaskKey key, Held held) {
    return new Event.TaskHeld(
        clock.instant(),
        key,
        held.getExitCode(),
        Duration.ofMillis(held.getForMs()),
        Beginning.of(held.getStderrTail(), ReportLimits.STDERR),
        Beginning.of(held.getExecutorMessage(), ReportLimits.MESSAGE));
  }

  @Override
  public Empty exited(RpcController controller, ExitedRequest request) throws ServiceException {
    Callers.require(TonyToken.Audience.EXECUTOR);
    TaskKey key = key(request.getTask());
    heartbeats.end(key);
    if (request.getPreflightFailed()) {
      String what = Beginning.of(request.getExecutorMessage(), ReportLimits.MESSAGE);
      sink.offer(new Event.PreflightFailed(clock.instant(), key, what));
      return DONE;
    }
    sink.offer(
        new Event.TaskExited(
            clock.instant(),
            key,
            new Event.Exit(
                request.getExitCode(),
                Beginning.of(request.getStderrTail(), ReportLimits.STDERR),
                outputs(request.getOutputsList()),
                Beginning.of(request.getExecutorMessage(), ReportLimits.MESSAGE),
                request.getTimedOut(),
                request.getPortTaken(),
                Beginning.of(request.getOutputsLeftOut(), ReportLimits.MESSAGE),
                Beginning.of(request.getProgress(), ReportLimits.PROGRESS),
                request.hasStands() ? Beginning.of(request.getStands(), ReportLimits.STANDS) : null,
                ended(request),
                request.getByItself(),
                request.getCheckpointUnusable())));
    return DONE;
  }

  @Override
  public PutResponse put(RpcController controller, PutRequest request) throws ServiceException {
    Callers.require(TonyToken.Audience.EXECUTOR);
    return tunnels.put(Tunnel.Side.EXECUTOR, request);
  }

  @Override
  public TakeResponse take(RpcController controller, TakeRequest request) throws ServiceException {
    Callers.require(TonyToken.Audience.EXECUTOR);
    return tunnels.take(Tunnel.Side.EXECUTOR, request);
  }

  /** Null where the executor does not say. */
  private static Instant ended(ExitedRequest request) {
    return request.getEndedMs() > 0 ? Instant.ofEpochMilli(request.getEndedMs()) : null;
  }

  /** The first ones, as many as there may be. */
  private static Map<String, String> outputs(List<Entry> entries) {
    Map<String, String> outputs = new LinkedHashMap<>();
    int characters = 0;
    for (Entry entry : entries) {
      characters += entry.getKey().length() + entry.getValue().length();
      if (characters > ReportLimits.OUTPUTS + ReportLimits.MODEL_PARAMETERS) {
        break;
      }
      outputs.put(entry.getKey(), entry.getValue());
    }
    return outputs;
  }

  private static Metrics.Sample sample(Sample sample) {
    return new Metrics.Sample(
        new TaskUse(
            sample.getMemoryMib(),
            sample.getCores(),
            sample.hasGpuPercent()
                ? new TaskUse.Gpus(sample.getGpuPercent(), sample.getGpuMemoryMib())
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
