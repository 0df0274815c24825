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
 * @param handlers number of calls handled concurrently; with a single handler, calls are handled in
 *     order
 * @param key callers must have a token signed with this key
 */
public record RpcPort(Configuration conf, String host, PortRange ports, int handlers, JobKey key) {
  /** Enough for any number of tasks: a waiting call occupies no handler. */
  public static final int HANDLERS = 4;

  /**
   * Maximum number of connections in the kernel's queue: all executors of a gang connect at once,
   * and one that finds the queue full retries a heartbeat later. Linux limits the value to
   * net.core.somaxconn.
   */
  private static final int BACKLOG = 4_096;

  /** Maximum number of connections without a login; each may take the memory of one message. */
  static final int MAX_PENDING = 256;

  /** Messages of connections without a login may take this fraction of the heap. */
  private static final int PENDING_HEAP_DIVISOR = 8;

  private static final Duration MAX_LOGIN_TIME = Duration.ofSeconds(30);

  /** Key under which Hadoop's server reads its port range; not an option of a job. */
  private static final String PORTS_KEY = "io.tony.am.rpc.ports";

  /** A bound port. */
  public static final class BoundPort {
    private final RPC.Server server;
    private final Optional<PendingLogins> logins;

    private BoundPort(RPC.Server server) {
      this.server = server;
      this.logins = PendingLogins.guard(server, maxPending(), MAX_LOGIN_TIME);
    }

    /** Closes the connections whose time for the login is over. */
    void closeLateLogins() {
      logins.ifPresent(PendingLogins::closeLate);
    }

    /** Returns the port's address. */
    public InetSocketAddress address() {
      return server.getListenerAddress();
    }

    /** Starts to serve both protocols, also on connections made before. */
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

  /** Returns the maximum number of connections without a login. */
  static int maxPending() {
    long fitting =
        Runtime.getRuntime().maxMemory() / PENDING_HEAP_DIVISOR / ReportLimits.MAX_MESSAGE_BYTES;
    return (int) Math.max(8, Math.min(MAX_PENDING, fitting));
  }

  /** Binds a port; calls are answered only after {@link BoundPort#serve}. */
  public BoundPort bind() throws IOException {
    Configuration own = new Configuration(conf);
    // Only tokens are accepted, whatever authentication the cluster uses.
    own.set(
        CommonConfigurationKeysPublic.HADOOP_SECURITY_AUTHENTICATION, AuthMethod.TOKEN.toString());
    own.setBoolean(CommonConfigurationKeysPublic.HADOOP_SECURITY_AUTHORIZATION, false);
    own.setInt(CommonConfigurationKeysPublic.IPC_SERVER_LISTEN_QUEUE_SIZE_KEY, BACKLOG);
    // Independent of the cluster's own setting: the memory is allocated before the login.
    own.setInt(CommonConfigurationKeys.IPC_MAXIMUM_DATA_LENGTH, ReportLimits.MAX_MESSAGE_BYTES);
    // No limit on all connections: a single caller could use it up. PendingLogins limits those
    // without a login.
    own.setInt(CommonConfigurationKeysPublic.IPC_SERVER_MAX_CONNECTIONS_KEY, 0);
    RPC.setProtocolEngine(own, TaskProtocol.class, ProtobufRpcEngine2.class);
    RPC.setProtocolEngine(own, ClientProtocol.class, ProtobufRpcEngine2.class);
    RPC.Builder builder =
        new RPC.Builder(own)
            .setProtocol(TaskProtocol.class)
            // Hadoop requires an instance here; serve() replaces it.
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
