package io.tony.executor.checkpoint;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * Converts between file names in UTF-8, as programs write them, and {@link Path}s, whatever the
 * node's locale is. Java encodes the names of paths in the locale's charset, which is ASCII in most
 * containers; the URI of a path, however, contains the exact bytes of the name.
 */
public final class FileNames {
  private static final String PLAIN = "/._-";

  private FileNames() {}

  /**
   * Returns the path of the file with this name. A relative name is resolved against {@code
   * folder}.
   *
   * @throws IOException if the name cannot be a path
   */
  public static Path resolve(Path folder, String name) throws IOException {
    StringBuilder uri = new StringBuilder("file://");
    if (!name.startsWith("/")) {
      uri.append(raw(folder)).append('/');
    }
    for (byte octet : name.getBytes(StandardCharsets.UTF_8)) {
      boolean plain = octet > 0 && (Character.isLetterOrDigit(octet) || PLAIN.indexOf(octet) >= 0);
      if (plain) {
        uri.append((char) octet);
      } else {
        uri.append('%').append(digit(octet >> 4)).append(digit(octet));
      }
    }
    try {
      return Path.of(URI.create(uri.toString()));
    } catch (IllegalArgumentException e) {
      throw new IOException("no name of a file: " + e.getMessage(), e);
    }
  }

  private static char digit(int half) {
    return Character.toUpperCase(Character.forDigit(half & 0xF, 16));
  }

  /**
   * Returns the name of the file without the folders that contain it.
   *
   * @throws IOException if the name is not valid UTF-8
   */
  static String last(Path file) throws IOException {
    String raw = raw(file);
    return decoded(raw.substring(raw.lastIndexOf('/') + 1));
  }

  /**
   * Returns the file's path relative to {@code folder}, separated by slashes; {@code folder} must
   * contain the file.
   *
   * @throws IOException if the path is not valid UTF-8
   */
  static String within(Path folder, Path file) throws IOException {
    return decoded(raw(file).substring(raw(folder).length() + 1));
  }

  /**
   * Returns the path in the URI of {@code file}, percent-encoded, without the slash with which the
   * URI of a folder ends.
   */
  private static String raw(Path file) {
    String raw = file.toUri().getRawPath();
    return raw.endsWith("/") ? raw.substring(0, raw.length() - 1) : raw;
  }

  private static String decoded(String raw) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (int i = 0; i < raw.length(); i++) {
      if (raw.charAt(i) == '%') {
        bytes.write(Integer.parseInt(raw.substring(i + 1, i + 3), 16));
        i += 2;
      } else {
        bytes.write(raw.charAt(i));
      }
    }
    try {
      ByteBuffer name = ByteBuffer.wrap(bytes.toByteArray());
      return StandardCharsets.UTF_8.newDecoder().decode(name).toString();
    } catch (CharacterCodingException e) {
      throw new IOException("the name of '" + raw + "' is not in UTF-8: write it in UTF-8", e);
    }
  }
}
