package io.tony.model;

import java.util.Objects;

/**
 * A file that is placed into the working directory of tasks. Its text form {@code
 * SRC[::NAME][#archive]} is the notation of LinkedIn's TonY.
 *
 * @param source local path, or a URI of a file system that the cluster can read
 * @param name name of the file in the working directory
 * @param archive whether YARN unpacks the file into a folder named {@code name}
 */
public record FileSpec(String source, String name, boolean archive) {
  private static final String ARCHIVE_SUFFIX = "#archive";

  public FileSpec {
    Objects.requireNonNull(source, "source");
    Objects.requireNonNull(name, "name");
  }

  /**
   * Parses {@code SRC[::NAME][#archive]}. Without {@code NAME}, the name is the last part of the
   * source's path.
   *
   * @throws IllegalArgumentException if the text has another form
   */
  public static FileSpec parse(String text) {
    String rest = text.strip();
    boolean archive = rest.endsWith(ARCHIVE_SUFFIX);
    if (archive) {
      rest = rest.substring(0, rest.length() - ARCHIVE_SUFFIX.length());
    }
    int separator = rest.lastIndexOf("::");
    String source = separator < 0 ? rest : rest.substring(0, separator);
    String name = separator < 0 ? lastPart(source) : rest.substring(separator + 2);
    if (source.isEmpty() || name.isEmpty() || name.contains("/")) {
      throw new IllegalArgumentException("not SRC[::NAME][#archive]: '" + text + "'");
    }
    return new FileSpec(source, name, archive);
  }

  private static String lastPart(String source) {
    String trimmed = source.endsWith("/") ? source.substring(0, source.length() - 1) : source;
    return trimmed.substring(trimmed.lastIndexOf('/') + 1);
  }

  /**
   * Returns true if the source is in a remote file system ({@code hdfs://…}), false for a local
   * path.
   */
  public boolean isRemote() {
    return source.matches("[A-Za-z][A-Za-z0-9+.-]*:/.*") && !source.startsWith("file:");
  }

  @Override
  public String toString() {
    return source + "::" + name + (archive ? ARCHIVE_SUFFIX : "");
  }
}
