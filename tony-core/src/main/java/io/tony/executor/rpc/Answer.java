package io.tony.executor.rpc;

import io.tony.tunnel.Chunk;
import io.tony.tunnel.Line;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.GZIPInputStream;

/** What a {@link Request} was answered with; {@code tony.proto} has the numbers of the fields. */
public final class Answer {
  private final WireReader message;

  Answer(WireReader message) {
    this.message = message;
  }

  /** To {@code awaitCommand}; null where nothing is to be done for a while. */
  public Command command() {
    try {
      return command(message);
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  /** To {@code heartbeat}. */
  public Told told() {
    try {
      return told(message);
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  /** To {@code put}: whether it was taken. */
  public boolean taken() throws Line.Closed {
    try {
      return TunnelMessages.taken(message);
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  /** To {@code take}; null where nothing came for a while. */
  public Chunk chunk() throws Line.Closed {
    try {
      return TunnelMessages.next(message);
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  /** The ApplicationMaster has proved who it is, and is of this executor's own version. */
  private static IllegalStateException unreadable(IOException e) {
    return new IllegalStateException("the ApplicationMaster's answer cannot be read", e);
  }

  private static Command command(WireReader message) throws IOException {
    Command command = null;
    for (int field = message.next(); field != 0; field = message.next()) {
      switch (field) {
        case 1 -> command = start(message.message());
        case 2 -> command = stop(message.message());
        case 3 -> command = restart(message.message());
        case 4 -> command = ask(message.message());
        case 5 -> command = stacks(message.message());
        case 6 -> command = tunnel(message.message());
        default -> {} // of a later version
      }
    }
    return command;
  }

  private static Command start(WireReader message) throws IOException {
    String command = "";
    Map<String, String> environment = new LinkedHashMap<>();
    String clusterSpec = "";
    long timeout = 0;
    Checkpoints checkpoints = Checkpoints.NONE;
    for (int field = message.next(); field != 0; field = message.next()) {
      switch (field) {
        case 1 -> command = message.text();
        case 2 -> put(message.message(), environment);
        case 3 -> timeout = message.number();
        case 4 -> clusterSpec = unzipped(message.bytes());
        case 5 -> checkpoints = checkpoints(message.message());
        default -> {} // of a later version
      }
    }
    return new Command.Start(command, environment, clusterSpec, timeout, checkpoints);
  }

  private static Checkpoints checkpoints(WireReader message) throws IOException {
    String folder = "";
    Checkpoints.Keeping keeping = null;
    Checkpoints.Resume resume = null;
    long copyTimeout = 0;
    for (int field = message.next(); field != 0; field = message.next()) {
      switch (field) {
        case 1 -> folder = message.text();
        case 2 -> keeping = keeping(message.message());
        case 3 -> resume = resume(message.message());
        case 4 -> copyTimeout = message.number();
        default -> {} // of a later version
      }
    }
    return new Checkpoints(folder, keeping, resume, copyTimeout);
  }

  private static Checkpoints.Keeping keeping(WireReader message) throws IOException {
    String generation = "";
    long counted = 0;
    int tasks = 0;
    String training = "";
    String application = "";
    String maker = "";
    for (int field = message.next(); field != 0; field = message.next()) {
      switch (field) {
        case 1 -> generation = message.text();
        case 2 -> counted = message.number();
        case 3 -> tasks = (int) message.number();
        case 4 -> training = message.text();
        case 5 -> application = message.text();
        case 6 -> maker = message.text();
        default -> {} // of a later version
      }
    }
    return new Checkpoints.Keeping(generation, counted, tasks, training, application, maker);
  }

  private static Checkpoints.Resume resume(WireReader message) throws IOException {
    String set = "";
    String task = "";
    long number = 0;
    for (int field = message.next(); field != 0; field = message.next()) {
      switch (field) {
        case 1 -> set = message.text();
        case 2 -> task = message.text();
        case 3 -> number = message.number();
        default -> {} // of a later version
      }
    }
    return new Checkpoints.Resume(set, task, number);
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
        default -> {} // of a later version
      }
    }
    environment.put(key, value);
  }

  private static Command stop(WireReader message) throws IOException {
    String reason = "";
    boolean stacks = false;
    for (int field = message.next(); field != 0; field = message.next()) {
      switch (field) {
        case 1 -> reason = message.text();
        case 2 -> stacks = message.number() != 0;
        default -> {} // of a later version
      }
    }
    return new Command.Stop(reason, stacks);
  }

  private static Command restart(WireReader message) throws IOException {
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
        default -> {} // of a later version
      }
    }
    return new Command.Restart(index, attempt, reason, stacks);
  }

  private static Command stacks(WireReader message) throws IOException {
    long question = 0;
    boolean whole = false;
    for (int field = message.next(); field != 0; field = message.next()) {
      switch (field) {
        case 1 -> question = message.number();
        case 2 -> whole = message.number() != 0;
        default -> {} // of a later version
      }
    }
    return new Command.AskForStacks(question, whole);
  }

  private static Command tunnel(WireReader message) throws IOException {
    long tunnel = 0;
    Command.Shell shell = null;
    for (int field = message.next(); field != 0; field = message.next()) {
      switch (field) {
        case 1 -> tunnel = message.number();
        case 2 -> shell = shell(message.message());
        default -> {} // of a later version
      }
    }
    return new Command.OpenTunnel(tunnel, shell);
  }

  private static Command.Shell shell(WireReader message) throws IOException {
    String command = "";
    String terminal = "";
    Chunk.Window window = Chunk.Window.USUAL;
    for (int field = message.next(); field != 0; field = message.next()) {
      switch (field) {
        case 1 -> command = message.text();
        case 2 -> terminal = message.text();
        case 3 -> window = TunnelMessages.window(message.message());
        default -> {} // of a later version
      }
    }
    return new Command.Shell(command, terminal, window);
  }

  private static Command ask(WireReader message) throws IOException {
    long asked = 0;
    int signal = 0;
    for (int field = message.next(); field != 0; field = message.next()) {
      switch (field) {
        case 1 -> asked = message.number();
        case 2 -> signal = (int) message.number();
        default -> {} // of a later version
      }
    }
    return new Command.AskForCheckpoint(asked, signal);
  }

  private static Told told(WireReader message) throws IOException {
    long events = 0;
    int toldBy = 0;
    long version = 0;
    byte[] tokens = null;
    for (int field = message.next(); field != 0; field = message.next()) {
      switch (field) {
        case 1 -> events = message.number();
        case 2 -> toldBy = (int) message.number();
        case 3 -> {
          WireReader newer = message.message();
          for (int inner = newer.next(); inner != 0; inner = newer.next()) {
            switch (inner) {
              case 1 -> version = newer.number();
              case 2 -> tokens = newer.bytes();
              default -> {} // of a later version
            }
          }
        }
        default -> {} // of a later version
      }
    }
    return new Told(events, toldBy, version, tokens);
  }
}
