package io.tony.tunnel;

import java.io.IOException;
import java.net.Socket;

/** Connects one end of a tunnel to a socket. */
public final class SocketEnd implements LocalEnd {
  private final Socket socket;

  private SocketEnd(Socket socket) {
    this.socket = socket;
  }

  /** Creates an end for a socket, which is closed when the tunnel is closed. */
  public static SocketEnd of(Socket socket) throws IOException {
    socket.setTcpNoDelay(true);
    return new SocketEnd(socket);
  }

  @Override
  public void sendTo(TunnelEnd end) throws IOException, InterruptedException {
    end.sendAll(socket.getInputStream());
    end.send(Chunk.End.PLAIN);
  }

  /** Writes the data to the socket. An IOException closes the tunnel. */
  @Override
  public void onData(byte[] data) throws IOException {
    socket.getOutputStream().write(data);
  }

  @Override
  public void onWindow(Chunk.Window window) {} // a socket has no terminal

  @Override
  public void onEnd(Chunk.End end) {
    try {
      socket.shutdownOutput();
    } catch (IOException e) {
      // the peer has already closed the socket
    }
  }

  @Override
  public void onClosed(String why) {
    try {
      socket.close();
    } catch (IOException e) {
      // nothing else can be done with the socket
    }
  }
}
