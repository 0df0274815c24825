package io.tony.tunnel;

import java.io.IOException;
import java.net.Socket;

/** A connection at the end of a tunnel. */
public final class SocketEnd implements LocalEnd {
  private final Socket socket;

  private SocketEnd(Socket socket) {
    this.socket = socket;
  }

  /** It is closed with the tunnel. */
  public static SocketEnd of(Socket socket) throws IOException {
    socket.setTcpNoDelay(true);
    return new SocketEnd(socket);
  }

  @Override
  public void sendTo(TunnelEnd end) throws IOException, InterruptedException {
    end.sendAll(socket.getInputStream());
    end.send(Chunk.End.PLAIN);
  }

  /** Where it takes nothing more, the tunnel is of no use. */
  @Override
  public void onData(byte[] data) throws IOException {
    socket.getOutputStream().write(data);
  }

  @Override
  public void onWindow(Chunk.Window window) {} // there is no terminal

  @Override
  public void onEnd(Chunk.End end) {
    try {
      socket.shutdownOutput();
    } catch (IOException e) {
      // it has ended itself
    }
  }

  @Override
  public void onClosed(String why) {
    try {
      socket.close();
    } catch (IOException e) {
      // it is broken, which is an end, too
    }
  }
}
