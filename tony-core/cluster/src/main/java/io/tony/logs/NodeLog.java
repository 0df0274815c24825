package io.tony.logs;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.time.Duration;
import org.apache.hadoop.security.AccessControlException;

/**
 * A log file of a container on its node, read with the NodeManager's REST API (YARN: "NodeManager
 * REST API's"). All methods throw {@link AccessControlException} if the node requires another
 * login.
 */
public final class NodeLog implements ContainerLog {
  /**
   * Number of bytes that are requested in addition to the wanted bytes, because the file may have
   * grown since its length was last determined.
   */
  private static final long SPARE_BYTES = 64 * 1024;

  private final URI resource;
  private final Duration timeout;

  NodeLog(URI resource, Duration timeout) {
    this.resource = resource;
    this.timeout = timeout;
  }

  @Override
  public void print(OutputStream out) throws IOException {
    send(resource, out);
  }

  @Override
  public long copy(long from, OutputStream out) throws IOException {
    long length = length();
    while (length > from) {
      LogContents contents = fetchLast(length - from + SPARE_BYTES, from, out);
      length = contents.length();
      if (!contents.hasGap()) {
        contents.requireAll();
        return Math.max(from, length);
      }
    }
    return from;
  }

  @Override
  public LogPiece piece(long from) throws IOException {
    long requestedBytes = LogPiece.MAX_BYTES;
    if (from >= 0) {
      long length = length();
      if (length <= from) {
        return LogPiece.none(length);
      }
      requestedBytes = length - from + SPARE_BYTES;
    }
    LogPieceBuffer bytes = new LogPieceBuffer();
    LogContents contents = fetchLast(requestedBytes, from, bytes);
    if (contents.hasGap()) {
      throw new IOException("it grows faster than it can be read");
    }
    return bytes.piece(contents);
  }

  private long length() throws IOException {
    return fetchLast(1, Long.MAX_VALUE, OutputStream.nullOutputStream()).length();
  }

  /**
   * Requests the last {@code bytes} bytes of the file and writes those from offset {@code from} on
   * to {@code out}. A node can only send the first or the last bytes of a file; it always sends the
   * length of the whole file, too.
   */
  private LogContents fetchLast(long bytes, long from, OutputStream out) throws IOException {
    LogContents contents = new LogContents(from, bytes, out);
    try {
      send(URI.create(resource + "?size=-" + bytes), contents);
    } catch (LogPieceBuffer.BufferFullException e) {
      // All wanted bytes were received; the exception only aborted the transfer.
    }
    if (contents.length() < 0) {
      throw new IOException("the node's answer is no file");
    }
    return contents;
  }

  private void send(URI part, OutputStream out) throws IOException {
    HttpURLConnection answer = YarnPage.get(part, timeout);
    int status = answer.getResponseCode();
    if (status >= 300 && status < 400) {
      // A node no longer has the logs of a finished application: it redirects to another server,
      // which has them.
      throw new FileNotFoundException(resource.toString());
    }
    if (status == HttpURLConnection.HTTP_UNAUTHORIZED
        || status == HttpURLConnection.HTTP_FORBIDDEN) {
      throw new AccessControlException("the node answers with HTTP status " + status);
    }
    try (InputStream in = answer.getInputStream()) {
      in.transferTo(out);
    }
  }
}
