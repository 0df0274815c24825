package io.tony.executor.rpc;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A connection to a server of Hadoop's RPC, version 9. Several threads make calls by it at the same
 * time. When it breaks, all of them fail, and so does each later one.
 */
final class RpcConnection implements AutoCloseable {
  private static final byte[] GREETING = {'h', 'r', 'p', 'c', 9, 0, (byte) -33}; // with SASL
  private static final int CONNECT_TIMEOUT_MS = 5_000;

  /** How long one call may take: longer than the 20 s for which the server holds a caller. */
  private static final int CALL_TIMEOUT_MS = 25_000;

  private final String protocol;
  private final byte[] client = client();
  private final Socket socket;
  private final Frames frames;

  // Guarded by this.
  private final Map<Integer, CompletableFuture<WireReader>> awaited = new HashMap<>();
  private int calls;
  private IOException broken; // null while it is not

  private RpcConnection(Socket socket, Frames frames, String protocol) {
    this.socket = socket;
    this.frames = frames;
    this.protocol = protocol;
  }

  /**
   * Connects and logs in.
   *
   * @param protection of all that is said: a value of SASL's property for it
   */
  static RpcConnection open(
      InetSocketAddress address, JobToken token, String protocol, String protection)
      throws IOException {
    if (address.isUnresolved()) {
      throw new UnknownHostException(address.getHostString() + ", where an ApplicationMaster is");
    }
    Socket socket = new Socket();
    try {
      socket.setTcpNoDelay(true);
      socket.connect(address, CONNECT_TIMEOUT_MS);
      socket.setSoTimeout(CALL_TIMEOUT_MS);
      DataInputStream in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
      DataOutputStream out =
          new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
      out.write(GREETING);
      Frames frames = new Frames(in, out, new TokenLogin(in, out, token, protection).run());
      socket.setSoTimeout(0);
      RpcConnection connection = new RpcConnection(socket, frames, protocol);
      connection.begin();
      return connection;
    } catch (IOException | RuntimeException e) {
      socket.close();
      throw e;
    }
  }

  private static byte[] client() {
    UUID id = UUID.randomUUID();
    return ByteBuffer.allocate(2 * Long.BYTES)
        .putLong(id.getMostSignificantBits())
        .putLong(id.getLeastSignificantBits())
        .array();
  }

  private void begin() throws IOException {
    byte[] context = new WireWriter().bytes(2, new byte[0]).text(3, protocol).toBytes();
    frames.write(RpcHeaders.request(RpcHeaders.CONTEXT, client).delimited(context));
    Thread reader = new Thread(this::readAnswers, "answers");
    reader.setDaemon(true);
    reader.start();
  }

  /** Makes a call; the answer's message is the next of what is returned. */
  WireReader call(String method, byte[] request) throws IOException, InterruptedException {
    byte[] what = new WireWriter().text(1, method).text(2, protocol).number(3, 1).toBytes();
    CompletableFuture<WireReader> answer = new CompletableFuture<>();
    try {
      synchronized (this) {
        if (broken != null) {
          throw new IOException(broken.getMessage(), broken);
        }
        int call = calls++;
        awaited.put(call, answer);
        frames.write(RpcHeaders.request(call, client).delimited(what).delimited(request));
      }
      return answer.get(CALL_TIMEOUT_MS, TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw new IOException(e.getCause().getMessage(), e.getCause());
    } catch (TimeoutException e) {
      throw breakOff(new IOException(method + " is not answered in " + CALL_TIMEOUT_MS + " ms", e));
    } catch (IOException e) {
      throw breakOff(e);
    }
  }

  synchronized boolean isBroken() {
    return broken != null;
  }

  private void readAnswers() {
    try {
      while (true) {
        WireReader frame = frames.read(RpcHeaders.LONGEST);
        try {
          CompletableFuture<WireReader> answer = awaited(RpcHeaders.answer(frame));
          if (answer != null) {
            answer.complete(frame.delimited());
          }
        } catch (RpcRefusal e) {
          CompletableFuture<WireReader> answer = awaited(e.call());
          if (answer == null) {
            throw e; // it is about all of them
          }
          answer.completeExceptionally(e);
        }
      }
    } catch (IOException | RuntimeException e) {
      breakOff(new IOException("the connection broke: " + e, e));
    }
  }

  private synchronized CompletableFuture<WireReader> awaited(int call) {
    return awaited.remove(call);
  }

  private IOException breakOff(IOException why) {
    try {
      socket.close(); // first: a thread may be writing, and hold the lock
    } catch (IOException e) {
      why.addSuppressed(e);
    }
    synchronized (this) {
      if (broken == null) {
        broken = why;
      }
      for (CompletableFuture<WireReader> answer : awaited.values()) {
        answer.completeExceptionally(broken);
      }
      awaited.clear();
    }
    return why;
  }

  @Override
  public void close() {
    breakOff(new IOException("the connection was closed"));
  }
}
