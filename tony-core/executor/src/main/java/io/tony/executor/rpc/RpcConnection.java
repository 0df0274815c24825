package io.tony.executor.rpc;

import io.tony.process.Spawner;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.Socket;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A connection to a Hadoop RPC server (version 9 of the protocol). Several threads may make calls
 * at the same time. When the connection breaks, all calls in progress and all later ones fail. Only
 * the connection's own two threads read and write; a calling thread only waits for the response,
 * with a time limit.
 */
final class RpcConnection implements AutoCloseable {
  private static final byte[] CONNECTION_HEADER = {
    'h', 'r', 'p', 'c', 9, 0, (byte) -33
  }; // "hrpc", version, service class, authentication by SASL
  private static final int CONNECT_TIMEOUT_MS = 5_000;

  /**
   * Maximum duration of a call and of the login. Must exceed the 20 s for which the
   * ApplicationMaster may hold a call.
   */
  private static final int CALL_TIMEOUT_MS = 25_000;

  private final String protocol;
  private final byte[] clientId = clientId();
  private final Socket socket;
  private final AtomicInteger nextCallId = new AtomicInteger();
  private final BlockingQueue<WireWriter> sendQueue = new LinkedBlockingQueue<>();
  private final Map<Integer, CompletableFuture<WireReader>> pendingCalls =
      new ConcurrentHashMap<>();
  private final CompletableFuture<Frames> loggedIn = new CompletableFuture<>();
  private volatile @Nullable IOException failure; // null while the connection works

  private RpcConnection(Socket socket, String protocol) {
    this.socket = socket;
    this.protocol = protocol;
  }

  /**
   * Connects and logs in.
   *
   * @param token authenticates this executor
   * @param protection protection of all messages after the login: a value of {@link
   *     javax.security.sasl.Sasl#QOP}
   * @param spawner starts the two threads of the connection
   * @throws IOException if the server cannot be reached or rejects the login
   */
  static RpcConnection open(
      InetSocketAddress address,
      JobToken token,
      String protocol,
      String protection,
      Spawner spawner)
      throws IOException, InterruptedException {
    if (address.isUnresolved()) {
      throw new UnknownHostException(address.getHostString() + ", where an ApplicationMaster is");
    }
    RpcConnection connection = new RpcConnection(new Socket(Proxy.NO_PROXY), protocol);
    try {
      connection.socket.setTcpNoDelay(true);
      connection.socket.setKeepAlive(true);
      connection.socket.connect(address, CONNECT_TIMEOUT_MS);
      spawner.startThread("answers", () -> connection.readResponses(token, protection));
      Frames frames = connection.await(connection.loggedIn, "the login");
      spawner.startThread("calls", () -> connection.send(frames));
      return connection;
    } catch (IOException | InterruptedException | RuntimeException e) {
      connection.close();
      throw e;
    }
  }

  private static byte[] clientId() {
    UUID id = UUID.randomUUID();
    return ByteBuffer.allocate(2 * Long.BYTES)
        .putLong(id.getMostSignificantBits())
        .putLong(id.getLeastSignificantBits())
        .array();
  }

  /**
   * Makes a call and returns the message of the response.
   *
   * @throws IOException if the call fails; the cause is an {@link RpcErrorException} if the server
   *     responded with an error
   */
  WireReader call(String method, byte[] request) throws IOException, InterruptedException {
    byte[] header = new WireWriter().text(1, method).text(2, protocol).number(3, 1).toBytes();
    CompletableFuture<WireReader> response = new CompletableFuture<>();
    int callId = nextCallId.getAndIncrement();
    pendingCalls.put(callId, response);
    try {
      sendQueue.add(RpcHeaders.request(callId, clientId).delimited(header).delimited(request));
      if (failure != null) {
        throw new IOException(failure.getMessage(), failure);
      }
      return await(response, method);
    } finally {
      pendingCalls.remove(callId);
    }
  }

  private <T> T await(CompletableFuture<T> future, String name)
      throws IOException, InterruptedException {
    try {
      return future.get(CALL_TIMEOUT_MS, TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      Throwable cause = Objects.requireNonNull(e.getCause());
      throw new IOException(cause.getMessage(), cause);
    } catch (TimeoutException e) {
      throw breakOff(new IOException(name + " is not answered in " + CALL_TIMEOUT_MS + " ms", e));
    }
  }

  boolean isBroken() {
    return failure != null;
  }

  private void send(Frames frames) {
    try {
      byte[] context = new WireWriter().bytes(2, new byte[0]).text(3, protocol).toBytes();
      frames.write(RpcHeaders.request(RpcHeaders.CONTEXT_CALL_ID, clientId).delimited(context));
      while (failure == null) {
        frames.write(sendQueue.take());
      }
    } catch (IOException | RuntimeException e) {
      breakOff(new IOException("the connection broke: " + e, e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void readResponses(JobToken token, String protection) {
    try {
      DataInputStream in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
      DataOutputStream out =
          new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
      out.write(CONNECTION_HEADER);
      Frames frames = new Frames(in, out, new TokenLogin(in, out, token, protection).run());
      loggedIn.complete(frames);
      while (true) {
        readResponse(frames.read(RpcHeaders.MAX_RESPONSE_BYTES));
      }
    } catch (IOException | RuntimeException e) {
      breakOff(new IOException("the connection broke: " + e, e));
    }
  }

  private void readResponse(WireReader frame) throws IOException {
    try {
      CompletableFuture<WireReader> response =
          pendingCalls.get(RpcHeaders.readResponseHeader(frame));
      if (response != null) {
        response.complete(frame.delimited());
      }
    } catch (RpcErrorException e) {
      CompletableFuture<WireReader> response = pendingCalls.get(e.callId());
      if (response == null) {
        throw e; // no call has this ID: the error concerns the whole connection
      }
      response.completeExceptionally(e);
    }
  }

  private IOException breakOff(IOException cause) {
    synchronized (this) {
      if (failure == null) {
        failure = cause;
      }
    }
    try {
      // Ends a blocked read or write of the socket. The message added below ends a blocked take
      // from sendQueue.
      socket.close();
    } catch (IOException e) {
      cause.addSuppressed(e);
    }
    sendQueue.add(new WireWriter());
    loggedIn.completeExceptionally(failure);
    for (CompletableFuture<WireReader> response : pendingCalls.values()) {
      response.completeExceptionally(failure);
    }
    return cause;
  }

  @Override
  public void close() {
    breakOff(new IOException("the connection was closed"));
  }
}
