package io.tony.am.store;

import io.tony.am.serve.Caller;
import io.tony.am.serve.CappedServer;
import io.tony.am.serve.LineConversation;
import io.tony.am.serve.Listening;
import io.tony.am.serve.Refusal;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The process manager's side of PMI version 1, for one MPI world: lines of {@code cmd=… key=value
 * …}, by which the ranks leave their addresses for each other (Flux's RFC 13, "Simple Process
 * Manager Interface v1"). What a rank cannot have here, it is told by the protocol's own means:
 * starting further processes ({@code MPI_Comm_spawn}), names for other jobs. One thread serves all
 * ranks.
 */
final class PmiServer implements AutoCloseable {
  private static final String SPACE = "tony";

  /** Hydra's limits, which all clients live with. */
  private static final String MAXIMA = "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=1024";

  private static final String ABORT = "cmd=abort";
  private static final String ABORTS = "MPI_Abort of a rank";

  private static final int MAX_KEY_CHARACTERS = 64;

  /** A rank that is started again, and the one before it. */
  private static final int MAX_CALLERS_PER_RANK = 2;

  private final CappedServer server;
  private final int size;
  private final Values values;
  private final int[] callers;
  private final Map<Caller, Integer> ranks = new HashMap<>();
  private final Map<Integer, Caller> atBarrier = new HashMap<>();

  private PmiServer(Listening at, StoreLimits limits, int size) throws IOException {
    this.size = size;
    this.callers = new int[size];
    this.values = new Values(limits);
    // Each rank is its own node: no memory is shared between containers.
    values.put("PMI_process_mapping", bytes("(vector,(0," + size + ",1))"));
    this.server =
        CappedServer.open(
            at, "pmi", limits.callers(), caller -> new LineConversation(caller, this::take));
  }

  /** Serves a world of so many ranks. */
  static PmiServer start(Listening at, StoreLimits limits, int size) throws IOException {
    PmiServer store = new PmiServer(at, limits, size);
    store.server.start();
    return store;
  }

  int port() {
    return server.port();
  }

  private void take(Caller rank, String line) {
    if (line.startsWith(ABORT)) {
      server.told(ABORTS, line.substring(ABORT.length()).strip()); // it may hold any words
      return; // the rank exits next; its executor reports with which code
    }
    Message message = Message.parse(line);
    switch (message.command()) {
      case "initack" -> introduce(rank, message.number("pmiid"));
      case "init" -> tell(rank, "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0");
      case "get_maxes" -> tell(rank, MAXIMA);
      case "get_appnum" -> tell(rank, "cmd=appnum appnum=0");
      case "get_my_kvsname" -> tell(rank, "cmd=my_kvsname kvsname=" + SPACE);
      case "get_universe_size" -> tell(rank, "cmd=universe_size size=" + size);
      case "put" -> tell(rank, put(message.of("key"), message.of("value")));
      case "get" -> tell(rank, get(message.of("key")));
      case "barrier_in" -> arrive(rank);
      case "finalize" -> tell(rank, "cmd=finalize_ack");
      case "publish_name" -> tell(rank, "cmd=publish_result rc=-1 msg=not_supported");
      case "unpublish_name" -> tell(rank, "cmd=unpublish_result rc=-1 msg=not_supported");
      case "lookup_name" -> tell(rank, "cmd=lookup_result rc=-1 msg=not_supported");
      case "spawn" -> tell(rank, "cmd=spawn_result rc=-1 status=not_supported");
      default -> throw Refusal.nonsense("unknown command " + message.command());
    }
  }

  /** From now on it may be silent until its program ends. */
  private void introduce(Caller rank, int id) {
    if (id < 0 || id >= size) {
      throw Refusal.nonsense("there is no rank " + id + " of " + size);
    }
    if (ranks.containsKey(rank)) {
      throw Refusal.nonsense("it says twice which rank it is");
    }
    if (callers[id] == MAX_CALLERS_PER_RANK) {
      throw new Refusal(
          0,
          "connections of a rank",
          MAX_CALLERS_PER_RANK + " callers say already that they are rank " + id);
    }
    rank.settle();
    callers[id]++;
    ranks.put(rank, id);
    rank.onClose(
        () -> {
          callers[id]--;
          ranks.remove(rank);
          atBarrier.remove(id, rank);
        });
    tell(rank, "cmd=initack", "cmd=set size=" + size, "cmd=set rank=" + id, "cmd=set debug=0");
  }

  private static void tell(Caller rank, String... lines) {
    rank.tell(bytes(String.join("\n", lines) + "\n"));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  private String put(String key, String value) {
    try {
      if (key.length() > MAX_KEY_CHARACTERS) {
        throw new Refusal(0, "characters of a key", "a key is longer than " + MAX_KEY_CHARACTERS);
      }
      values.put(key, bytes(value));
      return "cmd=put_result rc=0 msg=success";
    } catch (Refusal e) {
      server.refused(e);
      return "cmd=put_result rc=-1 msg=" + e.getMessage().replace(' ', '_');
    }
  }

  private String get(String key) {
    byte[] value = values.get(key);
    return value == null
        ? "cmd=get_result rc=-1 msg=key_not_found value=unknown"
        : "cmd=get_result rc=0 msg=success value=" + new String(value, StandardCharsets.ISO_8859_1);
  }

  private void arrive(Caller rank) {
    Integer id = ranks.get(rank);
    if (id == null) {
      throw Refusal.nonsense("it comes to the barrier and has not said which rank it is");
    }
    atBarrier.put(id, rank);
    if (atBarrier.size() == size) {
      List<Caller> released = List.copyOf(atBarrier.values());
      atBarrier.clear();
      released.forEach(each -> tell(each, "cmd=barrier_out"));
    }
  }

  @Override
  public void close() {
    server.close();
  }

  /** One line. A value is the last argument and may hold blanks. */
  private record Message(String command, Map<String, String> arguments) {
    static Message parse(String line) {
      Map<String, String> arguments = new HashMap<>();
      String rest = line.strip();
      int value = rest.indexOf(" value=");
      if (value >= 0) {
        arguments.put("value", rest.substring(value + " value=".length()));
        rest = rest.substring(0, value);
      }
      for (String word : rest.split(" +", -1)) {
        int equals = word.indexOf('=');
        if (equals < 1) {
          throw Refusal.nonsense("not a line of PMI version 1");
        }
        arguments.put(word.substring(0, equals), word.substring(equals + 1));
      }
      Message message = new Message(arguments.getOrDefault("cmd", ""), arguments);
      message.of("cmd");
      return message;
    }

    int number(String argument) {
      try {
        return Integer.parseInt(of(argument));
      } catch (NumberFormatException e) {
        throw Refusal.nonsense(argument + " is no number");
      }
    }

    String of(String argument) {
      String value = arguments.get(argument);
      if (value == null) {
        throw Refusal.nonsense(command + " without " + argument);
      }
      return value;
    }
  }
}
