package io.tony.am.rendezvous;

import io.tony.am.http.CappedServer;
import io.tony.am.http.Connection;
import io.tony.am.http.LineConnectionHandler;
import io.tony.am.http.ListeningPorts;
import io.tony.am.http.RequestRejectedException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Server of PMI version 1 for one MPI world, in the role of MPI's process manager. The ranks
 * exchange their addresses in lines of {@code cmd=… key=value …} (Flux's RFC 13, "Simple Process
 * Manager Interface v1"). Requests for features that are not supported get the protocol's error
 * answers: starting further processes ({@code MPI_Comm_spawn}) and publishing names for other jobs.
 * A single thread serves all ranks.
 */
final class PmiServer implements AutoCloseable {
  private static final String KEY_SPACE = "tony";

  /**
   * Answer to a rank that asks for the maximum lengths of keys and values. The lengths are those of
   * MPICH's process manager Hydra, which all clients accept.
   */
  private static final String MAXIMA = "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=1024";

  private static final String ABORT = "cmd=abort";
  private static final String ABORT_KIND = "MPI_Abort of a rank";

  private static final int MAX_KEY_CHARACTERS = 64;

  /**
   * Maximum number of connections per rank: the connection of a restarted rank, and that of its
   * previous process, which may not be closed yet.
   */
  private static final int MAX_CONNECTIONS_PER_RANK = 2;

  private final CappedServer server;
  private final int size;
  private final StoredValues values;
  private final int[] connectionCounts;
  private final Map<Connection, Integer> ranks = new HashMap<>();
  private final Map<Integer, Connection> atBarrier = new HashMap<>();

  private PmiServer(ListeningPorts listeningPorts, StoreLimits limits, int size)
      throws IOException {
    this.size = size;
    this.connectionCounts = new int[size];
    this.values = new StoredValues(limits);
    // Each rank counts as a node of its own, because containers share no memory.
    values.put("PMI_process_mapping", bytes("(vector,(0," + size + ",1))"));
    this.server =
        CappedServer.open(
            listeningPorts,
            "pmi",
            limits.connectionCaps(),
            connection -> new LineConnectionHandler(connection, this::handleLine));
  }

  /** Starts a server for an MPI world of {@code size} ranks. */
  static PmiServer start(ListeningPorts listeningPorts, StoreLimits limits, int size)
      throws IOException {
    PmiServer store = new PmiServer(listeningPorts, limits, size);
    store.server.start();
    return store;
  }

  int port() {
    return server.port();
  }

  private void handleLine(Connection connection, String line) {
    if (line.startsWith(ABORT)) {
      // An abort command: the rest of the line is free text.
      server.note(ABORT_KIND, line.substring(ABORT.length()).strip());
      // The rank exits next, and its executor reports the exit code.
      return;
    }
    Message message = Message.parse(line);
    switch (message.command()) {
      case "initack" -> assignRank(connection, message.number("pmiid"));
      case "init" -> send(connection, "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0");
      case "get_maxes" -> send(connection, MAXIMA);
      case "get_appnum" -> send(connection, "cmd=appnum appnum=0");
      case "get_my_kvsname" -> send(connection, "cmd=my_kvsname kvsname=" + KEY_SPACE);
      case "get_universe_size" -> send(connection, "cmd=universe_size size=" + size);
      case "put" -> send(connection, put(message.of("key"), message.of("value")));
      case "get" -> send(connection, get(message.of("key")));
      case "barrier_in" -> arrive(connection);
      case "finalize" -> send(connection, "cmd=finalize_ack");
      case "publish_name" -> send(connection, "cmd=publish_result rc=-1 msg=not_supported");
      case "unpublish_name" -> send(connection, "cmd=unpublish_result rc=-1 msg=not_supported");
      case "lookup_name" -> send(connection, "cmd=lookup_result rc=-1 msg=not_supported");
      case "spawn" -> send(connection, "cmd=spawn_result rc=-1 status=not_supported");
      default -> throw RequestRejectedException.badRequest("unknown command " + message.command());
    }
  }

  /**
   * Assigns the rank {@code id} to the connection, which then may be silent until the rank's
   * program ends.
   */
  private void assignRank(Connection connection, int id) {
    if (id < 0 || id >= size) {
      throw RequestRejectedException.badRequest("there is no rank " + id + " of " + size);
    }
    if (ranks.containsKey(connection)) {
      throw RequestRejectedException.badRequest("it names its rank twice");
    }
    if (connectionCounts[id] == MAX_CONNECTIONS_PER_RANK) {
      throw new RequestRejectedException(
          0, "connections of a rank", MAX_CONNECTIONS_PER_RANK + " callers already are rank " + id);
    }
    connection.park();
    connectionCounts[id]++;
    ranks.put(connection, id);
    connection.onClose(
        () -> {
          connectionCounts[id]--;
          ranks.remove(connection);
          atBarrier.remove(id, connection);
        });
    send(
        connection, "cmd=initack", "cmd=set size=" + size, "cmd=set rank=" + id, "cmd=set debug=0");
  }

  private static void send(Connection connection, String... lines) {
    connection.send(bytes(String.join("\n", lines) + "\n"));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  private String put(String key, String value) {
    try {
      if (key.length() > MAX_KEY_CHARACTERS) {
        throw new RequestRejectedException(
            0, "characters of a key", "a key is longer than " + MAX_KEY_CHARACTERS);
      }
      values.put(key, bytes(value));
      return "cmd=put_result rc=0 msg=success";
    } catch (RequestRejectedException e) {
      server.logRejection(e);
      return "cmd=put_result rc=-1 msg=" + e.getMessage().replace(' ', '_');
    }
  }

  private String get(String key) {
    byte[] value = values.get(key);
    return value == null
        ? "cmd=get_result rc=-1 msg=key_not_found value=unknown"
        : "cmd=get_result rc=0 msg=success value=" + new String(value, StandardCharsets.ISO_8859_1);
  }

  private void arrive(Connection connection) {
    Integer id = ranks.get(connection);
    if (id == null) {
      throw RequestRejectedException.badRequest(
          "it comes to the barrier and has not named its rank");
    }
    atBarrier.put(id, connection);
    if (atBarrier.size() == size) {
      List<Connection> released = List.copyOf(atBarrier.values());
      atBarrier.clear();
      released.forEach(each -> send(each, "cmd=barrier_out"));
    }
  }

  @Override
  public void close() {
    server.close();
  }

  /**
   * A line of the protocol. Its argument named {@code value}, which may contain blanks, is always
   * the last one.
   */
  private record Message(String command, Map<String, String> arguments) {
    static Message parse(String line) {
      Map<String, String> arguments = new HashMap<>();
      String rest = line.strip();
      int value = rest.indexOf(" value=");
      if (value >= 0) {
        arguments.put("value", rest.substring(value + " value=".length()));
        rest = rest.substring(0, value);
      }
      for (String token : rest.split(" +", -1)) {
        int equals = token.indexOf('=');
        if (equals < 1) {
          throw RequestRejectedException.badRequest("not a line of PMI version 1");
        }
        arguments.put(token.substring(0, equals), token.substring(equals + 1));
      }
      Message message = new Message(arguments.getOrDefault("cmd", ""), arguments);
      message.of("cmd");
      return message;
    }

    int number(String argument) {
      try {
        return Integer.parseInt(of(argument));
      } catch (NumberFormatException e) {
        throw RequestRejectedException.badRequest(argument + " is no number");
      }
    }

    String of(String argument) {
      String value = arguments.get(argument);
      if (value == null) {
        throw RequestRejectedException.badRequest(command + " without " + argument);
      }
      return value;
    }
  }
}
