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
 * Where an ApplicationMaster is to be called, and by whom.
 *
 * @param ports of which it takes one
 * @param handlers how many calls are taken at the same time; one alone takes them in their order
 * @param key of which callers must have a token
 */
public record RpcPort(Configuration conf, String host, PortRange ports, int handlers, JobKey key) {
  /** For any number of tasks: no call keeps its handler while it waits. */
  public static final int HANDLERS = 4;

  /**
   * Connections that wait to be accepted: all executors of a gang connect at once, and one that
   * finds no room tries again a heartbeat later. Linux gives no more than net.core.somaxconn.
   */
  private static final int BACKLOG = 4_096;

  /** Of callers that have not logged in; 256 of them take as much memory as 256 messages. */
  static final int MAX_PENDING = 256;

  /** What part of the heap the messages of callers that have not logged in may take. */
  private static final int PENDING_HEAP_DIVISOR = 8;

  private static final Duration MAX_LOGIN_TIME = Duration.ofSeconds(30);

  /** Where Hadoop's server reads its range of ports from; no option of a job. */
  private static final String PORTS_KEY = "io.tony.am.rpc.ports";

  /** A port that is taken. */
  public static final class BoundPort {
    private final RPC.Server server;
    private final Optional<PendingLogins> logins;

    private BoundPort(RPC.Server server) {
      this.server = server;
      this.logins = PendingLogins.guard(server, maxPending(), MAX_LOGIN_TIME);
    }

    /** Closes the connections of those who have had their time to log in. */
    void closeLateLogins() {
      logins.ifPresent(PendingLogins::closeLate);
    }

    /** Where it is. */
    public InetSocketAddress address() {
      return server.getListenerAddress();
    }

    /** Serves both protocols at once, also to those who have called before. */
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

  /** How many callers may be connected that have not logged in. */
  static int maxPending() {
    long fitting =
        Runtime.getRuntime().maxMemory() / PENDING_HEAP_DIVISOR / ReportLimits.MAX_MESSAGE_BYTES;
    return (int) Math.max(8, Math.min(MAX_PENDING, fitting));
  }

  /** Takes a port; nobody is answered there yet. */
  public BoundPort bind() throws IOException {
    Configuration own = new Configuration(conf);
    // Only tokens are accepted, whatever the cluster itself authenticates with.
    own.set(
        CommonConfigurationKeysPublic.HADOOP_SECURITY_AUTHENTICATION, AuthMethod.TOKEN.toString());
    own.setBoolean(CommonConfigurationKeysPublic.HADOOP_SECURITY_AUTHORIZATION, false);
    own.setInt(CommonConfigurationKeysPublic.IPC_SERVER_LISTEN_QUEUE_SIZE_KEY, BACKLOG);
    // Whatever the cluster's own daemons take: memory is allocated for it before the login.
    own.setInt(CommonConfigurationKeys.IPC_MAXIMUM_DATA_LENGTH, ReportLimits.MAX_MESSAGE_BYTES);
    // Whoever holds all connections would keep the others out; those without a login are capped.
    own.setInt(CommonConfigurationKeysPublic.IPC_SERVER_MAX_CONNECTIONS_KEY, 0);
    RPC.setProtocolEngine(own, TaskProtocol.class, ProtobufRpcEngine2.class);
    RPC.setProtocolEngine(own, ClientProtocol.class, ProtobufRpcEngine2.class);
    RPC.Builder builder =
        new RPC.Builder(own)
            .setProtocol(TaskProtocol.class)
            // Hadoop wants one now; the one that serves takes its place.
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
