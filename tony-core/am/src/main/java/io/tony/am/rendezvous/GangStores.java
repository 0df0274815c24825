package io.tony.am.rendezvous;

import io.tony.am.http.ListeningPorts;
import io.tony.model.Endpoint;
import io.tony.model.PortRange;
import io.tony.runtime.Gang;
import io.tony.runtime.StoreAddress;
import io.tony.runtime.StoreProtocol;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the store through which the current gang's programs find each other. A restarted gang gets a
 * new store on a new port, so that it never reads values of the previous session. Stores are in the
 * ApplicationMaster's memory and end with it. If the framework needs no store, no port is opened.
 */
public final class GangStores implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(GangStores.class);
  private static final int TOKEN_BYTES = 16;

  private final StoreProtocol protocol;
  private final String host;
  private final ListeningPorts listeningPorts;
  private @Nullable RunningStore runningStore; // null if no store runs

  /** The running store and the gang that it serves. */
  private record RunningStore(Gang gang, StoreAddress address, AutoCloseable server) {}

  /**
   * Creates the object without opening a port.
   *
   * @param host name under which the tasks know this node
   * @param ports port range; each store takes one port
   */
  public GangStores(StoreProtocol protocol, String host, PortRange ports) {
    this.protocol = protocol;
    this.host = host;
    this.listeningPorts = new ListeningPorts(host, ports, "the store at which its tasks meet");
  }

  /**
   * Returns a copy of the gang with the address of its store. Starts the store if none serves this
   * gang. If the framework needs no store, returns the gang itself.
   */
  public synchronized Gang equip(Gang gang) {
    if (protocol == StoreProtocol.NONE) {
      return gang;
    }
    RunningStore store = runningStore;
    if (store == null || !isFor(store, gang)) {
      close();
      store = serve(gang);
      runningStore = store;
    }
    return new Gang(gang.job(), gang.cluster(), gang.session(), Optional.of(store.address()));
  }

  /**
   * Returns whether the store serves this gang. When further tasks of the same session start, they
   * use the same store and its keys. With MPI, tasks that start together are a world of their own,
   * which needs a new store.
   */
  private boolean isFor(RunningStore store, Gang gang) {
    return store.gang().session() == gang.session()
        && (protocol != StoreProtocol.PMI
            // Compare the clusters first, which is faster: equal clusters have equal ranks.
            || Objects.equals(store.gang().cluster(), gang.cluster())
            || store.gang().ranked().equals(gang.ranked()));
  }

  private RunningStore serve(Gang gang) {
    int tasks = gang.job().taskCount();
    FileDescriptors descriptors = FileDescriptors.ofProcess(tasks);
    try {
      return switch (protocol) {
        case HTTP -> {
          String token = randomToken();
          HttpStore server =
              HttpStore.start(
                  listeningPorts, warnIfShort(StoreLimits.http(tasks, descriptors), tasks), token);
          yield new RunningStore(gang, address(server.port(), token), server);
        }
        case OPEN_HTTP -> {
          int ranks = gang.world();
          HorovodStore server =
              HorovodStore.start(
                  listeningPorts, warnIfShort(StoreLimits.horovod(ranks, descriptors), ranks));
          yield new RunningStore(gang, address(server.port(), ""), server);
        }
        case PMI -> {
          int ranks = Math.max(1, gang.world());
          PmiServer server =
              PmiServer.start(
                  listeningPorts, warnIfShort(StoreLimits.pmi(ranks, descriptors), ranks), ranks);
          yield new RunningStore(gang, address(server.port(), ""), server);
        }
        case NONE -> throw new IllegalStateException("no store is asked for");
      };
    } catch (IOException e) {
      throw new UncheckedIOException("the gang's store cannot listen on " + host, e);
    }
  }

  /**
   * Logs a warning if {@code limits} allow fewer than {@code gang} connections, one for each member
   * of the gang. Returns {@code limits}.
   */
  private static StoreLimits warnIfShort(StoreLimits limits, int gang) {
    shortage(limits, gang).ifPresent(LOG::warn);
    return limits;
  }

  static Optional<String> shortage(StoreLimits limits, int gang) {
    return limits.connections() >= gang
        ? Optional.empty()
        : Optional.of(
            "The gang's store takes "
                + limits.connections()
                + " connections at a time, fewer than the "
                + gang
                + " of the gang: raise the limit of open files on the nodes (ulimit -n)");
  }

  private StoreAddress address(int port, String token) {
    return new StoreAddress(new Endpoint(host, port), token);
  }

  private static String randomToken() {
    byte[] bytes = new byte[TOKEN_BYTES];
    new SecureRandom().nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  @Override
  public synchronized void close() {
    RunningStore store = runningStore;
    if (store != null) {
      try {
        store.server().close();
      } catch (Exception e) {
        throw new IllegalStateException("the store at " + store.address() + " does not close", e);
      } finally {
        runningStore = null;
      }
    }
  }
}
