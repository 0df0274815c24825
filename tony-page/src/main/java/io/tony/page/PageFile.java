package io.tony.page;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigInteger;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** One file of a web page, held in memory, with its media type and its entity tag. */
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
   * Reads a file that is beside this class in the jar.
   *
   * @param name the file's name; must not come from a request
   * @param type the media type
   * @throws IOException if the file is missing
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

  /** Returns the media type, the value of the HTTP header {@code Content-Type}. */
  public String type() {
    return type;
  }

  /**
   * Returns the entity tag, the value of the HTTP header {@code ETag}. It changes if the content
   * does.
   */
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
