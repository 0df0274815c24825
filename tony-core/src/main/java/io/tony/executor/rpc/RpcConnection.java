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
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A connection to a server of Hadoop's RPC, version 9. Several threads make calls by it at the same
 * time. When it breaks, all of them fail, and so does each later one. Only its own two threads read
 * and write: who makes a call waits for its answer, with a limit, and for nothing else.
 */
final class RpcConnection implements AutoCloseable {
  private static final byte[] GREETING = {'h', 'r', 'p', 'c', 9, 0, (byte) -33}; // with SASL
  private static final int CONNECT_TIMEOUT_MS = 5_000;

  /**
   * How long one call may take, and the login: longer than the 20 s for which the server holds a
   * caller.
   */
  private static final int CALL_TIMEOUT_MS = 25_000;

  private final String protocol;
  private final byte[] clientId = clientId();
  private final Socket socket;
  private final AtomicInteger calls = new AtomicInteger();
  private final BlockingQueue<WireWriter> toSend = new LinkedBlockingQueue<>();
  private final Map<Integer, CompletableFuture<WireReader>> awaited = new ConcurrentHashMap<>();
  private final CompletableFuture<Frames> loggedIn = new CompletableFuture<>();
  private volatile IOException broken; // null while it is not

  private RpcConnection(Socket socket, String protocol) {
    this.socket = socket;
    this.protocol = protocol;
  }

  /**
   * Connects and logs in.
   *
   * @param protection of all that is said: a value of SASL's property for it
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
      spawner.thread("answers", () -> connection.readAnswers(token, protection));
      Frames frames = connection.await(connection.loggedIn, "the login");
      spawner.thread("calls", () -> connection.send(frames));
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

  /** Makes a call; the answer's message is the next of what is returned. */
  WireReader call(String method, byte[] request) throws IOException, InterruptedException {
    byte[] what = new WireWriter().text(1, method).text(2, protocol).number(3, 1).toBytes();
    CompletableFuture<WireReader> answer = new CompletableFuture<>();
    int call = calls.getAndIncrement();
    awaited.put(call, answer);
    try {
      toSend.add(RpcHeaders.request(call, clientId).delimited(what).delimited(request));
      if (broken != null) {
        throw new IOException(broken.getMessage(), broken);
      }
      return await(answer, method);
    } finally {
      awaited.remove(call);
    }
  }

  private <T> T await(CompletableFuture<T> what, String name)
      throws IOException, InterruptedException {
    try {
      return what.get(CALL_TIMEOUT_MS, TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw new IOException(e.getCause().getMessage(), e.getCause());
    } catch (TimeoutException e) {
      throw breakOff(new IOException(name + " is not answered in " + CALL_TIMEOUT_MS + " ms", e));
    }
  }

  boolean isBroken() {
    return broken != null;
  }

  private void send(Frames frames) {
    try {
      byte[] context = new WireWriter().bytes(2, new byte[0]).text(3, protocol).toBytes();
      frames.write(RpcHeaders.request(RpcHeaders.CONTEXT, clientId).delimited(context));
      while (broken == null) {
        frames.write(toSend.take());
      }
    } catch (IOException | RuntimeException e) {
      breakOff(new IOException("the connection broke: " + e, e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void readAnswers(JobToken token, String protection) {
    try {
      DataInputStream in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
      DataOutputStream out =
          new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
      out.write(GREETING);
      Frames frames = new Frames(in, out, new TokenLogin(in, out, token, protection).run());
      loggedIn.complete(frames);
      while (true) {
        readAnswer(frames.read(RpcHeaders.LONGEST));
      }
    } catch (IOException | RuntimeException e) {
      breakOff(new IOException("the connection broke: " + e, e));
    }
  }

  private void readAnswer(WireReader frame) throws IOException {
    try {
      CompletableFuture<WireReader> answer = awaited.get(RpcHeaders.answer(frame));
      if (answer != null) {
        answer.complete(frame.delimited());
      }
    } catch (RpcRefusal e) {
      CompletableFuture<WireReader> answer = awaited.get(e.call());
      if (answer == null) {
        throw e; // it is about all of them
      }
      answer.completeExceptionally(e);
    }
  }

  private IOException breakOff(IOException why) {
    synchronized (this) {
      if (broken == null) {
        broken = why;
      }
    }
    try {
      socket.close(); // which ends both threads, if the next line does not
    } catch (IOException e) {
      why.addSuppressed(e);
    }
    toSend.add(new WireWriter());
    loggedIn.completeExceptionally(broken);
    for (CompletableFuture<WireReader> answer : awaited.values()) {
      answer.completeExceptionally(broken);
    }
    return why;
  }

  @Override
  public void close() {
    breakOff(new IOException("the connection was closed"));
  }
}
