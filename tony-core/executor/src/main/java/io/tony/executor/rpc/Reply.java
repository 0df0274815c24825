package io.tony.executor.rpc;

import io.tony.tunnel.Chunk;
import io.tony.tunnel.TunnelLink;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/**
 * The ApplicationMaster's reply to a {@link Request}. Each method parses the reply to one kind of
 * request; call only the one that fits the request, and only once. {@code tony.proto} defines the
 * field numbers.
 */
public final class Reply {
  private final WireReader message;

  Reply(WireReader message) {
    this.message = message;
  }

  /**
   * Parses a reply to {@code awaitCommand}. Returns null if the ApplicationMaster has no command
   * yet.
   */
  public @Nullable ExecutorCommand command() {
    try {
      return command(message);
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  /** Parses a reply to {@code heartbeat}. */
  public HeartbeatReply heartbeatReply() {
    try {
      return heartbeatReply(message);
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  /**
   * Parses a reply to {@code put}. Returns false if the chunk was not accepted and must be sent
   * again.
   *
   * @throws TunnelLink.TunnelClosedException if the tunnel is closed
   */
  public boolean accepted() throws TunnelLink.TunnelClosedException {
    try {
      return TunnelMessages.accepted(message);
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  /**
   * Parses a reply to {@code take}. Returns null if there is no chunk yet.
   *
   * @throws TunnelLink.TunnelClosedException if the tunnel is closed
   */
  public @Nullable Chunk chunk() throws TunnelLink.TunnelClosedException {
    try {
      return TunnelMessages.next(message);
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  /**
   * Returns an unchecked exception: an unreadable reply is a bug, because the ApplicationMaster is
   * authenticated and has the same version as this executor.
   */
  private static IllegalStateException unreadable(IOException e) {
    return new IllegalStateException("the ApplicationMaster's answer cannot be read", e);
  }

  private static @Nullable ExecutorCommand command(WireReader message) throws IOException {
    ExecutorCommand command = null;
    for (int field = message.next(); field != 0; field = message.next()) {
      switch (field) {
        case 1 -> command = start(message.message());
        case 2 -> command = stop(message.message());
        case 3 -> command = restart(message.message());
        case 4 -> command = askForCheckpoint(message.message());
        case 5 -> command = stacks(message.message());
        case 6 -> command = tunnel(message.message());
        default -> {} // skip a field that this version does not know
      }
    }
    return command;
  }

  private static ExecutorCommand start(WireReader message) throws IOException {
    String command = "";
    Map<String, String> environment = new LinkedHashMap<>();
    String clusterSpec = "";
    long timeout = 0;
    CheckpointPlan checkpoints = CheckpointPlan.NONE;
    for (int field = message.next(); field != 0; field = message.next()) {
      switch (field) {
        case 1 -> command = message.text();
        case 2 -> put(message.message(), environment);
        case 3 -> timeout = message.number();
        case 4 -> clusterSpec = unzipped(message.bytes());
        case 5 -> checkpoints = checkpoints(message.message());
        default -> {} // skip a field that this version does not know
      }
    }
    return new ExecutorCommand.Start(command, environment, clusterSpec, timeout, checkpoints);
  }

  private static CheckpointPlan checkpoints(WireReader message) throws IOException {
    String folder = "";
    CheckpointPlan.Upload upload = null;
    CheckpointPlan.Resume resume = null;
    long copyTimeout = 0;
    for (int field = message.next(); field != 0; field = message.next()) {
      switch (field) {
        case 1 -> folder = message.text();
        case 2 -> upload = upload(message.message());
        case 3 -> resume = resume(message.message());
        case 4 -> copyTimeout = message.number();
        default -> {} // skip a field that this version does not know
      }
    }
    return new CheckpointPlan(folder, upload, resume, copyTimeout);
  }

  private static CheckpointPlan.Upload upload(WireReader message) throws IOException {
    String generation = "";
    long lastNumber = 0;
    int taskCount = 0;
    String training = "";
    String application = "";
    String maker = "";
    for (int field = message.next(); field != 0; field = message.next()) {
      switch (field) {
        case 1 -> generation = message.text();
        case 2 -> lastNumber = message.number();
        case 3 -> taskCount = (int) message.number();
        case 4 -> training = message.text();
        case 5 -> application = message.text();
        case 6 -> maker = message.text();
        default -> {} // skip a field that this version does not know
      }
    }
    return new CheckpointPlan.Upload(
        generation, lastNumber, taskCount, training, application, maker);
  }

  private static CheckpointPlan.Resume resume(WireReader message) throws IOException {
    String checkpointName = "";
    String task = "";
    long number = 0;
    for (int field = message.next(); field != 0; field = message.next()) {
      switch (field) {
        case 1 -> checkpointName = message.text();
        case 2 -> task = message.text();
        case 3 -> number = message.number();
        default -> {} // skip a field that this version does not know
      }
    }
    return new CheckpointPlan.Resume(checkpointName, task, number);
  }

  private static String unzipped(byte[] bytes) throws IOException {
    try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(bytes))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static void put(WireReader entry, Map<String, String> environment) throws IOException {
    String key = "";
    String value = "";
    for (int field = entry.next(); field != 0; field = entry.next()) {
      switch (field) {
        case 1 -> key = entry.text();
        case 2 -> value = entry.text();
        default -> {} // skip a field that this version does not know
      }
    }
    environment.put(key, value);
  }

  private static ExecutorCommand stop(WireReader message) throws IOException {
    String reason = "";
    boolean stacks = false;
    for (int field = message.next(); field != 0; field = message.next()) {
      switch (field) {
        case 1 -> reason = message.text();
        case 2 -> stacks = message.number() != 0;
        default -> {} // skip a field that this version does not know
      }
    }
    return new ExecutorCommand.Stop(reason, stacks);
  }

  private static ExecutorCommand restart(WireReader message) throws IOException {
    int index = 0;
    int attempt = 0;
    String reason = "";
    boolean stacks = false;
    for (int field = message.next(); field != 0; field = message.next()) {
      switch (field) {
        case 1 -> attempt = (int) message.number();
        case 2 -> reason = message.text();
        case 3 -> stacks = message.number() != 0;
        case 4 -> index = (int) message.number();
        default -> {} // skip a field that this version does not know
      }
    }
    return new ExecutorCommand.Restart(index, attempt, reason, stacks);
  }

  private static ExecutorCommand stacks(WireReader message) throws IOException {
    long requestId = 0;
    boolean allThreads = false;
    for (int field = message.next(); field != 0; field = message.next()) {
      switch (field) {
        case 1 -> requestId = message.number();
        case 2 -> allThreads = message.number() != 0;
        default -> {} // skip a field that this version does not know
      }
    }
    return new ExecutorCommand.AskForStacks(requestId, allThreads);
  }

  private static ExecutorCommand tunnel(WireReader message) throws IOException {
    long tunnelId = 0;
    ExecutorCommand.Shell shell = null;
    for (int field = message.next(); field != 0; field = message.next()) {
      switch (field) {
        case 1 -> tunnelId = message.number();
        case 2 -> shell = shell(message.message());
        default -> {} // skip a field that this version does not know
      }
    }
    return new ExecutorCommand.OpenTunnel(tunnelId, shell);
  }

  private static ExecutorCommand.Shell shell(WireReader message) throws IOException {
    String command = "";
    String terminalType = "";
    Chunk.Window window = Chunk.Window.DEFAULT;
    for (int field = message.next(); field != 0; field = message.next()) {
      switch (field) {
        case 1 -> command = message.text();
        case 2 -> terminalType = message.text();
        case 3 -> window = TunnelMessages.window(message.message());
        default -> {} // skip a field that this version does not know
      }
    }
    return new ExecutorCommand.Shell(command, terminalType, window);
  }

  private static ExecutorCommand askForCheckpoint(WireReader message) throws IOException {
    long askedMs = 0;
    int signal = 0;
    for (int field = message.next(); field != 0; field = message.next()) {
      switch (field) {
        case 1 -> askedMs = message.number();
        case 2 -> signal = (int) message.number();
        default -> {} // skip a field that this version does not know
      }
    }
    return new ExecutorCommand.AskForCheckpoint(askedMs, signal);
  }

  private static HeartbeatReply heartbeatReply(WireReader message) throws IOException {
    long eventCount = 0;
    int masterNumber = 0;
    long version = 0;
    byte[] tokens = null;
    for (int field = message.next(); field != 0; field = message.next()) {
      switch (field) {
        case 1 -> eventCount = message.number();
        case 2 -> masterNumber = (int) message.number();
        case 3 -> {
          WireReader newer = message.message();
          for (int inner = newer.next(); inner != 0; inner = newer.next()) {
            switch (inner) {
              case 1 -> version = newer.number();
              case 2 -> tokens = newer.bytes();
              default -> {} // skip a field that this version does not know
            }
          }
        }
        default -> {} // skip a field that this version does not know
      }
    }
    return new HeartbeatReply(eventCount, masterNumber, version, tokens);
  }
}
