package io.tony.page;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigInteger;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** One file of the page, held in memory, with its media type and an entity tag. */
public final class PageFile {

  private final String type;
  private final String tag;
  private final byte[] content;

  private PageFile(String type, byte[] content) {
    this.type = type;
    this.content = content;
    this.tag = '"' + digest(content) + '"';
  }

  /**
   * Reads a file beside this class in the jar.
   *
   * @param name the name in the jar, never a name from a request
   */
  static PageFile read(String name, String type) throws IOException {
    try (InputStream in = PageFile.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IOException(name + " of the page is not in the jar");
      }
      ByteArrayOutputStream content = new ByteArrayOutputStream();
      byte[] buffer = new byte[8192];
      for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
        content.write(buffer, 0, count);
      }
      return new PageFile(type, content.toByteArray());
    }
  }

  /** The value of {@code Content-Type}. */
  public String type() {
    return type;
  }

  /** The value of {@code ETag}. */
  public String tag() {
    return tag;
  }

  public byte[] content() {
    return content.clone();
  }

  private static String digest(byte[] content) {
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(content);
      return new BigInteger(1, hash).toString(36);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
