package io.tony.logs;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

/**
 * Writes the answers to a web page's request for a piece of a log, as JSON: {@code text} with its
 * byte offsets {@code begin} and {@code end} and the {@code length} of the file; or {@code why},
 * the reason why there is no text; or neither if too many requests are being handled. {@code pause}
 * is the delay in milliseconds after which the page asks again. {@code onNode} means that the
 * node's own web page may show the log.
 */
public final class LogPieceJson {
  private static final JsonFactory JSON = new JsonFactory();

  private LogPieceJson() {}

  @FunctionalInterface
  private interface Fields {
    void write(JsonGenerator json) throws IOException;
  }

  /**
   * Returns the answer with a piece of a growing file. The page asks for the next piece at once;
   * after the last piece, it asks again after {@code pause} milliseconds.
   */
  public static String growing(LogPiece piece, int pause) {
    return of(piece, piece.isLast() ? pause : 0);
  }

  /**
   * Returns the answer with a piece of a file that no longer grows. The page asks for the next
   * piece at once, and for none after the last piece.
   */
  public static String complete(LogPiece piece) {
    return of(piece, piece.end() == piece.length() ? null : 0);
  }

  private static String of(LogPiece piece, @Nullable Integer pause) {
    return object(
        pause,
        json -> {
          json.writeNumberField("begin", piece.begin());
          json.writeNumberField("end", piece.end());
          json.writeNumberField("length", piece.length());
          json.writeStringField("text", piece.text());
        });
  }

  /** Returns the answer that there is no such log and will be none; {@code why} is the reason. */
  public static String none(String why) {
    return object(null, json -> json.writeStringField("why", why));
  }

  /**
   * Returns the answer that the log is not available here, but perhaps on its node, to which the
   * page links; {@code why} is the reason.
   */
  public static String onNode(String why) {
    return object(
        null,
        json -> {
          json.writeStringField("why", why);
          json.writeBooleanField("onNode", true);
        });
  }

  /**
   * Returns the answer that there is no such log yet; {@code why} is the reason. The page asks
   * again after {@code pause} milliseconds.
   */
  public static String notYet(String why, int pause) {
    return object(pause, json -> json.writeStringField("why", why));
  }

  /**
   * Returns the answer that too many requests are being handled; the page asks again after {@code
   * pause} milliseconds.
   */
  public static String busy(int pause) {
    return object(pause, json -> {});
  }

  private static String object(@Nullable Integer pause, Fields fields) {
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
