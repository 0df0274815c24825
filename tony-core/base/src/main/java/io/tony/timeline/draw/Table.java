package io.tony.timeline.draw;

import java.util.ArrayList;
import java.util.List;

/**
 * Formats a text table with aligned columns. A column whose heading begins with {@code >} is
 * right-aligned, for numbers.
 */
public final class Table {
  private static final String GAP = "  ";

  /** A row of cells; if {@code cells} is empty, a line of free text. */
  private record Row(List<String> cells, String line) {}

  private final List<String> names = new ArrayList<>();
  private final List<Boolean> right = new ArrayList<>();
  private final List<Row> rows = new ArrayList<>();

  public Table(String... columns) {
    for (String column : columns) {
      boolean number = column.startsWith(">");
      right.add(number);
      names.add(number ? column.substring(1) : column);
    }
    rows.add(new Row(names, ""));
  }

  public void addRow(String... cells) {
    if (cells.length != names.size()) {
      throw new IllegalArgumentException(cells.length + " cells for " + names);
    }
    rows.add(new Row(List.of(cells), ""));
  }

  /** Adds a line of free text after the rows added so far. */
  void addLine(String text) {
    rows.add(new Row(List.of(), text));
  }

  public List<String> lines() {
    int[] widths = new int[names.size()];
    for (Row row : rows) {
      for (int i = 0; i < row.cells().size(); i++) {
        widths[i] = Math.max(widths[i], row.cells().get(i).length());
      }
    }
    return rows.stream()
        .map(row -> row.cells().isEmpty() ? row.line() : formatRow(row.cells(), widths))
        .toList();
  }

  private String formatRow(List<String> cells, int[] widths) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < widths.length; i++) {
      String pad = " ".repeat(widths[i] - cells.get(i).length());
      line.append(i == 0 ? "" : GAP)
          .append(right.get(i) ? pad : "")
          .append(cells.get(i))
          .append(right.get(i) ? "" : pad);
    }
    return line.toString().stripTrailing();
  }
}
