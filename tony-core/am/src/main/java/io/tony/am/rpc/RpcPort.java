package io.tony.am.rpc;

import io.tony.am.http.NoFreePortException;
import io.tony.model.PortRange;
import io.tony.protocol.ClientProtocol;
import io.tony.protocol.JobKey;
import io.tony.protocol.ReportLimits;
import io.tony.protocol.TaskProtocol;
import io.tony.protocol.proto.TonyProtos.ClientService;
import io.tony.protocol.proto.TonyProtos.TaskService;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeys;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.ipc.ProtobufRpcEngine2;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.security.SaslRpcServer.AuthMethod;

/**
 * Configuration of the ApplicationMaster's RPC port.
 *
 * @param ports range from which one port is taken
 * @param handlers number of calls that are handled at the same time; with one handler, calls are
 *     handled in their order
 * @param key key that must have signed the caller's token
 */
public record RpcPort(Configuration conf, String host, PortRange ports, int handlers, JobKey key) {
  /** Enough for any number of tasks, because a held call occupies no handler. */
  public static final int HANDLERS = 4;

  /**
   * Maximum number of connections that wait in the kernel to be accepted. All executors of a gang
   * connect at the same time; one that finds no place tries again after a heartbeat interval. Linux
   * limits the number to net.core.somaxconn.
   */
  private static final int BACKLOG = 4_096;

  /**
   * Maximum number of connections without a login, each of which may take the memory of one
   * message. With a small heap, the maximum is lower: see {@link #maxPending}.
   */
  static final int MAX_PENDING = 256;

  /** Messages of connections without a login may take this fraction (an eighth) of the heap. */
  private static final int PENDING_HEAP_DIVISOR = 8;

  private static final Duration MAX_LOGIN_TIME = Duration.ofSeconds(30);

  /**
   * Key under which Hadoop's server gets its port range. Used only internally; not an option of a
   * job.
   */
  private static final String PORTS_KEY = "io.tony.am.rpc.ports";

  /** A bound port. Calls are answered only after {@link #serve}. */
  public static final class BoundPort {
    private final RPC.Server server;
    private final Optional<PendingLogins> logins;

    private BoundPort(RPC.Server server) {
      this.server = server;
      this.logins = PendingLogins.guard(server, maxPending(), MAX_LOGIN_TIME);
    }

    /** Closes the connections that have not logged in in time. */
    void closeLateLogins() {
      logins.ifPresent(PendingLogins::closeLate);
    }

    /** Returns the port's address. */
    public InetSocketAddress address() {
      return server.getListenerAddress();
    }

    /**
     * Starts to answer calls of both protocols, including those of clients that have connected
     * since {@link RpcPort#bind}.
     */
    RPC.Server serve(TaskProtocol tasks, ClientProtocol clients) {
      server.addProtocol(
          RPC.RpcKind.RPC_PROTOCOL_BUFFER,
          TaskProtocol.class,
          TaskService.newReflectiveBlockingService(tasks));
      server.addProtocol(
          RPC.RpcKind.RPC_PROTOCOL_BUFFER,
          ClientProtocol.class,
          ClientService.newReflectiveBlockingService(clients));
      server.start();
      return server;
    }
  }

  /**
   * Returns the maximum number of connections without a login, which depends on the size of the
   * heap.
   */
  static int maxPending() {
    long fitting =
        Runtime.getRuntime().maxMemory() / PENDING_HEAP_DIVISOR / ReportLimits.MAX_MESSAGE_BYTES;
    return (int) Math.max(8, Math.min(MAX_PENDING, fitting));
  }

  /** Binds a port of the range. Calls are answered only after {@link BoundPort#serve}. */
  public BoundPort bind() throws IOException {
    Configuration own = new Configuration(conf);
    // Only tokens are accepted as login, whatever authentication the cluster uses.
    own.set(
        CommonConfigurationKeysPublic.HADOOP_SECURITY_AUTHENTICATION, AuthMethod.TOKEN.toString());
    own.setBoolean(CommonConfigurationKeysPublic.HADOOP_SECURITY_AUTHORIZATION, false);
    own.setInt(CommonConfigurationKeysPublic.IPC_SERVER_LISTEN_QUEUE_SIZE_KEY, BACKLOG);
    // Not the cluster's value: the memory for a message is allocated before the login.
    own.setInt(CommonConfigurationKeys.IPC_MAXIMUM_DATA_LENGTH, ReportLimits.MAX_MESSAGE_BYTES);
    // No limit for all connections, which a single caller could use up: PendingLogins limits those
    // without a login.
    own.setInt(CommonConfigurationKeysPublic.IPC_SERVER_MAX_CONNECTIONS_KEY, 0);
    RPC.setProtocolEngine(own, TaskProtocol.class, ProtobufRpcEngine2.class);
    RPC.setProtocolEngine(own, ClientProtocol.class, ProtobufRpcEngine2.class);
    RPC.Builder builder =
        new RPC.Builder(own)
            .setProtocol(TaskProtocol.class)
            // Hadoop requires an implementation here; serve() replaces this one.
            .setInstance(TaskService.newReflectiveBlockingService(null))
            .setBindAddress(host)
            .setPort(0)
            .setNumHandlers(handlers)
            .setSecretManager(key);
    if (!ports.isAny()) {
      own.set(PORTS_KEY, ports.toString());
      builder.setPortRangeConfig(PORTS_KEY);
    }
    return new BoundPort(build(builder));
  }

  private RPC.Server build(RPC.Builder builder) throws IOException {
    try {
      return builder.build();
    } catch (BindException e) {
      if (ports.isAny()) {
        throw e;
      }
      throw new NoFreePortException(ports, host, "the ApplicationMaster's RPC server", e);
    }
  }
}
