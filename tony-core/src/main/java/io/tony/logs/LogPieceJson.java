package io.tony.logs;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;

/**
 * What a page is told of a file, in JSON: {@code text} with its {@code begin} and {@code end} and
 * the {@code length} of the file; or {@code why} there is none; or neither, where too many ask.
 * With {@code pause} there may be more after so many milliseconds. {@code onNode} says that the
 * link to the node's own page may help.
 */
public final class LogPieceJson {
  private static final JsonFactory JSON = new JsonFactory();

  private LogPieceJson() {}

  @FunctionalInterface
  private interface Fields {
    void write(JsonGenerator json) throws IOException;
  }

  /** A file that may still grow: so many milliseconds later somebody may look again. */
  public static String growing(LogPiece piece, int pause) {
    return of(piece, piece.isLast() ? pause : 0);
  }

  /** A file that grows no more. */
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

  /** There is none, and there will be none. */
  public static String none(String why) {
    return object(null, json -> json.writeStringField("why", why));
  }

  /** There is none here; it may be on its node. */
  public static String onNode(String why) {
    return object(
        null,
        json -> {
          json.writeStringField("why", why);
          json.writeBooleanField("onNode", true);
        });
  }

  /** There is none yet. */
  public static String notYet(String why, int pause) {
    return object(pause, json -> json.writeStringField("why", why));
  }

  /** Too many ask. */
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
