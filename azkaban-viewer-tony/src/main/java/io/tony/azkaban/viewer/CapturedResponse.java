package io.tony.azkaban.viewer;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import javax.servlet.ServletOutputStream;
import javax.servlet.http.HttpServletResponse;
import javax.servlet.http.HttpServletResponseWrapper;

/**
 * An HTTP response that is held in memory and not sent to the browser. Another servlet of the web
 * server writes it.
 */
final class CapturedResponse extends HttpServletResponseWrapper {
  private final int maxBytes;
  private final ByteArrayOutputStream content = new ByteArrayOutputStream();
  private final ServletOutputStream stream =
      new ServletOutputStream() {
        @Override
        public void write(int value) throws IOException {
          checkLimit(1);
          content.write(value);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
          checkLimit(length);
          content.write(bytes, offset, length);
        }
      };
  private final PrintWriter writer =
      new PrintWriter(new OutputStreamWriter(stream, StandardCharsets.UTF_8));
  private int status = SC_OK;

  /**
   * Creates an empty response.
   *
   * @param response the response to the browser, which is not written
   * @param maxBytes maximum size of the content; writing more fails
   */
  CapturedResponse(HttpServletResponse response, int maxBytes) {
    super(response);
    this.maxBytes = maxBytes;
  }

  private void checkLimit(int more) throws IOException {
    if (content.size() + (long) more > maxBytes) {
      throw new IOException("Azkaban's answer has more than " + maxBytes + " bytes");
    }
  }

  int status() {
    return status;
  }

  byte[] content() {
    writer.flush();
    return content.toByteArray();
  }

  @Override
  public ServletOutputStream getOutputStream() {
    return stream;
  }

  @Override
  public PrintWriter getWriter() {
    return writer;
  }

  @Override
  public void setStatus(int code) {
    status = code;
  }

  @Override
  @SuppressWarnings("deprecation") // other servlets may call this method
  public void setStatus(int code, String message) {
    status = code;
  }

  @Override
  public void sendError(int code) {
    status = code;
  }

  @Override
  public void sendError(int code, String message) {
    status = code;
  }

  @Override
  public void sendRedirect(String location) {
    status = SC_FOUND;
  }

  @Override
  public void flushBuffer() {
    // Nothing is sent to the browser.
  }
}
