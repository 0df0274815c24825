package io.tony.history;

import com.fasterxml.jackson.core.JsonGenerator;
import io.tony.history.Comparison.Column;
import io.tony.history.Comparison.Deviation;
import java.io.IOException;
import java.util.Locale;

/**
 * Writes a comparison as JSON: its runs, each with its outliers, and its columns, each with its
 * values in the order of the runs.
 */
public final class ComparisonJson {
  private ComparisonJson() {}

  public static String write(Comparison comparison) {
    return SummaryJson.object(
        json -> {
          json.writeArrayFieldStart("runs");
          for (int i = 0; i < comparison.runs().size(); i++) {
            json.writeStartObject();
            SummaryJson.write(comparison.runs().get(i), json);
            json.writeObjectFieldStart("outOfLine");
            for (Column column : comparison.columns()) {
              if (column.deviations().get(i) != Deviation.USUAL) {
                json.writeStringField(column.name(), label(column.deviations().get(i)));
              }
            }
            json.writeEndObject();
            json.writeEndObject();
          }
          json.writeEndArray();
          json.writeArrayFieldStart("columns");
          for (Column column : comparison.columns()) {
            write(column, json);
          }
          json.writeEndArray();
        });
  }

  private static void write(Column column, JsonGenerator json) throws IOException {
    json.writeStartObject();
    json.writeStringField("name", column.name());
    json.writeStringField("unit", column.unit().name().toLowerCase(Locale.ROOT));
    json.writeArrayFieldStart("values");
    for (Double value : column.values()) {
      if (value == null) {
        json.writeNull();
      } else {
        json.writeNumber(value);
      }
    }
    json.writeEndArray();
    json.writeArrayFieldStart("standings");
    for (Deviation deviation : column.deviations()) {
      json.writeString(label(deviation));
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  /** Returns the name of the deviation for display. */
  public static String label(Deviation deviation) {
    return deviation.name().toLowerCase(Locale.ROOT);
  }
}
