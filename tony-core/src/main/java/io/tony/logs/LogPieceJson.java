package io.tony.logs;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;

/**
 * Answers to a page's request for a piece of a log, as JSON: {@code text} with its {@code begin}
 * and {@code end} and the {@code length} of the file; or {@code why}, the reason why there is no
 * text; or neither if too many requests are being handled. {@code pause} is the delay in
 * milliseconds after which there may be more. {@code onNode} means that the node's own page may
 * have the log.
 */
public final class LogPieceJson {
  private static final JsonFactory JSON = new JsonFactory();

  private LogPieceJson() {}

  @FunctionalInterface
  private interface Fields {
    void write(JsonGenerator json) throws IOException;
  }

  /**
   * Returns a piece of a growing file; at the end of the file, the page asks again after {@code
   * pause} milliseconds.
   */
  public static String growing(LogPiece piece, int pause) {
    return of(piece, piece.isLast() ? pause : 0);
  }

  /** Returns a piece of a file that no longer grows. */
  public static String complete(LogPiece piece) {
    return of(piece, piece.end() == piece.length() ? null : 0);
  }

  private static String of(LogPiece piece, Integer pause) {
    return object(
        pause,
        json -> {
          json.writeNumberField("begin", piece.begin());
          json.writeNumberField("end", piece.end());
          json.writeNumberField("length", piece.length());
          json.writeStringField("text", piece.text());
        });
  }

  /** Returns the reason why there is no such log, and will not be one. */
  public static String none(String why) {
    return object(null, json -> json.writeStringField("why", why));
  }

  /** Returns the reason why the log is not available here; the page links to the node. */
  public static String onNode(String why) {
    return object(
        null,
        json -> {
          json.writeStringField("why", why);
          json.writeBooleanField("onNode", true);
        });
  }

  /**
   * Returns the reason why there is no such log yet; the page asks again after {@code pause} ms.
   */
  public static String notYet(String why, int pause) {
    return object(pause, json -> json.writeStringField("why", why));
  }

  /** Returns a busy answer; the page asks again after {@code pause} milliseconds. */
  public static String busy(int pause) {
    return object(pause, json -> {});
  }

  private static String object(Integer pause, Fields fields) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JSON.createGenerator(text)) {
      json.writeStartObject();
      fields.write(json);
      if (pause != null) {
        json.writeNumberField("pause", pause);
      }
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException("a string refused to be written to", e);
    }
    return text.toString();
  }
}
