package io.tony.client.check.project;

import java.io.IOException;
import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * A {@code .job} or {@code .properties} file, read as Azkaban reads it: encoded in ISO 8859-1, with
 * Java's escapes.
 */
final class PropertiesFile {
  /** The byte-order mark of UTF-8, as the characters that ISO 8859-1 makes of its bytes. */
  private static final String BYTE_ORDER_MARK = "\u00ef\u00bb\u00bf";

  private final byte[] bytes;

  PropertiesFile(Path file) throws IOException {
    this.bytes = Files.readAllBytes(file);
  }

  /**
   * Returns the properties of the file.
   *
   * @throws IllegalArgumentException if the file contains a malformed escape; the exception's
   *     message shows it
   */
  Map<String, String> read() throws IOException {
    Properties properties = new Properties();
    properties.load(new StringReader(new String(bytes, StandardCharsets.ISO_8859_1)));
    Map<String, String> values = new TreeMap<>();
    properties.stringPropertyNames().forEach(key -> values.put(key, properties.getProperty(key)));
    return values;
  }

  /** Returns the properties of the file; empty if the file contains a malformed escape. */
  Map<String, String> readLeniently() throws IOException {
    try {
      return read();
    } catch (IllegalArgumentException e) {
      return Map.of();
    }
  }

  /**
   * Returns why Azkaban reads no key at all or a wrong first key: the file is encoded in UTF-16, or
   * begins with a byte-order mark. Empty if neither is true. The text is a clause that callers
   * append to the file's name: {@code begins with a byte-order mark …}.
   */
  Optional<String> encodingProblem() {
    boolean isUtf16 =
        bytes.length > 1
            && ((bytes[0] == (byte) 0xfe && bytes[1] == (byte) 0xff)
                || (bytes[0] == (byte) 0xff && bytes[1] == (byte) 0xfe));
    if (isUtf16) {
      return Optional.of("is UTF-16 text, which Azkaban cannot read: save it as ASCII");
    }
    return new String(bytes, StandardCharsets.ISO_8859_1).startsWith(BYTE_ORDER_MARK)
        ? Optional.of(
            "begins with a byte-order mark, which Azkaban takes for the beginning of its first key:"
                + " remove it (save the file as UTF-8 without BOM)")
        : Optional.empty();
  }

  /**
   * Returns a warning about the keys whose values Azkaban garbles, because the file is in UTF-8 and
   * Azkaban reads each byte as one character. Empty if there are none. The warning is a clause that
   * callers append to the file's name: {@code has title in UTF-8 …}.
   */
  Optional<String> garbledKeysWarning() throws IOException {
    String text;
    try {
      text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      return Optional.empty();
    }
    Set<String> keys = new TreeSet<>();
    String first = "";
    Properties properties = new Properties();
    properties.load(new StringReader(text));
    Map<String, String> arriving = read();
    for (String key : properties.stringPropertyNames()) {
      String value = properties.getProperty(key);
      if (!value.equals(arriving.get(key)) && !key.startsWith("\ufeff")) {
        keys.add(key);
        first = first.isEmpty() ? firstNonAscii(key + value) : first;
      }
    }
    if (keys.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        "has "
            + String.join(", ", keys)
            + " in UTF-8, which Azkaban reads as ISO 8859-1, so that other characters arrive: write"
            + " each character that is not ASCII as an escape, "
            + first
            + " as "
            + escaped(first)
            + ", or use a .flow file (Flow 2.0), which Azkaban reads as UTF-8");
  }

  private static String firstNonAscii(String text) {
    return text.codePoints().filter(c -> c > 0x7f).mapToObj(Character::toString).findFirst().get();
  }

  private static String escaped(String text) {
    return text.chars().mapToObj("\\u%04x"::formatted).collect(Collectors.joining());
  }
}
