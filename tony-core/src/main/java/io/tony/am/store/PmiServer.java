package io.tony.am.store;

import io.tony.am.store.LineServer.Caller;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The process manager's side of PMI version 1, for one MPI world: lines of {@code cmd=… key=value
 * …}, by which the ranks leave their addresses for each other (Flux's RFC 13, "Simple Process
 * Manager Interface v1"). What a rank cannot have here, it is told by the protocol's own means:
 * starting further processes ({@code MPI_Comm_spawn}), names for other jobs. One thread serves all
 * ranks.
 */
final class PmiServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PmiServer.class);

  private static final String SPACE = "tony";

  /** Hydra's limits, which all clients live with. */
  private static final String MAXIMA = "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=1024";

  private static final int MAX_KEYS_PER_RANK = 256;

  private final LineServer server;
  private final int size;
  private final Map<String, String> values = new HashMap<>();
  private final List<Caller> atBarrier = new ArrayList<>();

  private PmiServer(String host, int size) throws IOException {
    this.size = size;
    // Each rank is its own node: no memory is shared between containers.
    values.put("PMI_process_mapping", "(vector,(0," + size + ",1))");
    this.server = LineServer.start(host, "pmi", this::take);
  }

  /** Serves a world of so many ranks on a free port of this host. */
  static PmiServer start(String host, int size) throws IOException {
    return new PmiServer(host, size);
  }

  int port() {
    return server.port();
  }

  private void take(Caller rank, String line) {
    Message message = Message.parse(line);
    switch (message.command()) {
      case "initack" -> {
        int id = Integer.parseInt(message.of("pmiid"));
        if (id < 0 || id >= size) {
          throw new IllegalArgumentException("there is no rank " + id + " of " + size);
        }
        rank.tell("cmd=initack", "cmd=set size=" + size, "cmd=set rank=" + id, "cmd=set debug=0");
      }
      case "init" -> rank.tell("cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0");
      case "get_maxes" -> rank.tell(MAXIMA);
      case "get_appnum" -> rank.tell("cmd=appnum appnum=0");
      case "get_my_kvsname" -> rank.tell("cmd=my_kvsname kvsname=" + SPACE);
      case "get_universe_size" -> rank.tell("cmd=universe_size size=" + size);
      case "put" -> rank.tell(put(message.of("key"), message.of("value")));
      case "get" -> rank.tell(get(message.of("key")));
      case "barrier_in" -> arrive(rank);
      case "finalize" -> rank.tell("cmd=finalize_ack");
      case "publish_name" -> rank.tell("cmd=publish_result rc=-1 msg=not_supported");
      case "unpublish_name" -> rank.tell("cmd=unpublish_result rc=-1 msg=not_supported");
      case "lookup_name" -> rank.tell("cmd=lookup_result rc=-1 msg=not_supported");
      case "spawn" -> rank.tell("cmd=spawn_result rc=-1 status=not_supported");
      // The rank exits next; its executor reports with which code.
      case "abort" -> LOG.info("A rank aborts: {}", message.arguments());
      default -> throw new IllegalArgumentException("unknown command " + message.command());
    }
  }

  private String put(String key, String value) {
    if (values.size() >= size * MAX_KEYS_PER_RANK + 1 && !values.containsKey(key)) {
      return "cmd=put_result rc=-1 msg=full";
    }
    values.put(key, value);
    return "cmd=put_result rc=0 msg=success";
  }

  private String get(String key) {
    String value = values.get(key);
    return value == null
        ? "cmd=get_result rc=-1 msg=key_not_found value=unknown"
        : "cmd=get_result rc=0 msg=success value=" + value;
  }

  private void arrive(Caller rank) {
    atBarrier.add(rank);
    if (atBarrier.size() == size) {
      atBarrier.forEach(each -> each.tell("cmd=barrier_out"));
      atBarrier.clear();
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
          throw new IllegalArgumentException("not a line of PMI version 1");
        }
        arguments.put(word.substring(0, equals), word.substring(equals + 1));
      }
      Message message = new Message(arguments.getOrDefault("cmd", ""), arguments);
      message.of("cmd");
      return message;
    }

    String of(String argument) {
      String value = arguments.get(argument);
      if (value == null) {
        throw new IllegalArgumentException(command + " without " + argument);
      }
      return value;
    }
  }
}
