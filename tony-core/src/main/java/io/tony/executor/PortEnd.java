package io.tony.executor;

import io.tony.tunnel.Chunk;
import io.tony.tunnel.TunnelEnd;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;

/** A connection to what listens at the task's port, at the end of a tunnel. */
final class PortEnd implements TaskTunnels.LocalEnd {
  private static final ExecutorLog LOG = new ExecutorLog(PortEnd.class);
  private static final int CONNECT_MS = 5_000;

  private final Socket socket;

  private PortEnd(Socket socket) {
    this.socket = socket;
  }

  /** By the loopback address: a program that only listens there is reached by nobody else. */
  static PortEnd connect(int port) throws IOException {
    Socket socket = new Socket();
    try {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), CONNECT_MS);
      socket.setTcpNoDelay(true);
      return new PortEnd(socket);
    } catch (IOException e) {
      socket.close();
      throw new IOException("nothing can be reached at port " + port + " of the task: " + e, e);
    }
  }

  @Override
  public void sendTo(TunnelEnd end) throws IOException, InterruptedException {
    end.sendAll(socket.getInputStream());
    end.send(Chunk.End.PLAIN);
  }

  @Override
  public void data(byte[] data) {
    try {
      socket.getOutputStream().write(data);
    } catch (IOException e) {
      LOG.info("a connection takes nothing more: " + e); // its end is told by sendTo
    }
  }

  @Override
  public void window(Chunk.Window window) {} // there is no terminal

  @Override
  public void ended(Chunk.End end) {
    try {
      socket.shutdownOutput();
    } catch (IOException e) {
      LOG.info("a connection takes nothing more: " + e);
    }
  }

  @Override
  public void closed(String why) {
    try {
      socket.close();
    } catch (IOException e) {
      LOG.info("a connection is not closed: " + e);
    }
  }
}
