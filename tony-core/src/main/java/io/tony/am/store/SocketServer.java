package io.tony.am.store;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Speaks with each caller on a thread of its own, for callers that stay for one question: closing
 * it ends all conversations.
 */
final class SocketServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SocketServer.class);
  private static final int BACKLOG = 1024;
  private static final int MAX_LINE_BYTES = 8 * 1024;

  private final ServerSocket listener;
  private final String name;
  private final Conversation conversation;
  private final Set<Socket> connections = new HashSet<>();
  private boolean closed;

  /** One caller, from its first word to its last; nonsense ends it by an exception. */
  interface Conversation {
    void hold(InputStream in, OutputStream out) throws IOException;
  }

  private SocketServer(ServerSocket listener, String name, Conversation conversation) {
    this.listener = listener;
    this.name = name;
    this.conversation = conversation;
  }

  /** Listens on a free port of this host. */
  static SocketServer start(String host, String name, Conversation conversation)
      throws IOException {
    ServerSocket listener = new ServerSocket(0, BACKLOG, InetAddress.getByName(host));
    SocketServer server = new SocketServer(listener, name, conversation);
    startDaemon(server::accept, name);
    return server;
  }

  int port() {
    return listener.getLocalPort();
  }

  private void accept() {
    while (true) {
      try {
        Socket socket = listener.accept();
        socket.setTcpNoDelay(true);
        if (!admit(socket)) {
          socket.close();
          return;
        }
        startDaemon(() -> serve(socket), name + "-caller");
      } catch (IOException e) {
        synchronized (this) {
          if (closed) {
            return;
          }
        }
        LOG.warn("{}: a caller could not be accepted", name, e);
      }
    }
  }

  private synchronized boolean admit(Socket socket) {
    return !closed && connections.add(socket);
  }

  private void serve(Socket socket) {
    try (socket) {
      conversation.hold(new BufferedInputStream(socket.getInputStream()), socket.getOutputStream());
    } catch (IOException | IllegalArgumentException e) {
      // The task's end tells the job what happened to it.
      LOG.info("{}: a caller left: {}", name, e.toString());
    } finally {
      synchronized (this) {
        connections.remove(socket);
      }
    }
  }

  /** A line of one byte per character, without its end; null at the end of the connection. */
  static String readLine(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int next = in.read(); next >= 0; next = in.read()) {
      if (next == '\n') {
        return line.toString();
      }
      if (line.length() == MAX_LINE_BYTES) {
        throw new IllegalArgumentException("a line above " + MAX_LINE_BYTES + " bytes");
      }
      line.append((char) next);
    }
    return null;
  }

  @Override
  public void close() throws IOException {
    List<Socket> open;
    synchronized (this) {
      closed = true;
      open = List.copyOf(connections);
    }
    listener.close();
    for (Socket socket : open) {
      socket.close();
    }
  }

  private static void startDaemon(Runnable task, String name) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    thread.start();
  }
}
