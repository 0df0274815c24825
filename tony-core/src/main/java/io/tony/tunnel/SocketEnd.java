package io.tony.tunnel;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;

/** A connection at the end of a tunnel. */
public final class SocketEnd implements LocalEnd {
  private static final int CONNECT_MS = 5_000;

  private final Socket socket;

  private SocketEnd(Socket socket) {
    this.socket = socket;
  }

  /** One that was accepted, or made; it is closed with the tunnel. */
  public static SocketEnd of(Socket socket) throws IOException {
    socket.setTcpNoDelay(true);
    return new SocketEnd(socket);
  }

  /**
   * One to what listens at a port of this machine, by the loopback address: a program that only
   * listens there is reached by nobody else.
   */
  public static SocketEnd connect(int port) throws IOException {
    Socket socket = new Socket();
    try {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), CONNECT_MS);
      return of(socket);
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
      // it takes nothing more; its end is told by sendTo
    }
  }

  @Override
  public void window(Chunk.Window window) {} // there is no terminal

  @Override
  public void ended(Chunk.End end) {
    try {
      socket.shutdownOutput();
    } catch (IOException e) {
      // it has ended itself
    }
  }

  @Override
  public void closed(String why) {
    try {
      socket.close();
    } catch (IOException e) {
      // it is broken, which is an end, too
    }
  }
}
