package io.tony.pictures;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;

/** A comment in a PNG file: a chunk {@code tEXt} with the keyword {@code Comment}. */
final class CommentedPng {
  private static final String TYPE = "tEXt";
  private static final String KEYWORD = "Comment\0";

  /** Length of the signature, and of the signature with the first chunk, IHDR. */
  private static final int SIGNATURE_BYTES = 8;

  private static final int HEADER_BYTES = SIGNATURE_BYTES + 25;

  private CommentedPng() {}

  /** Returns a picture with this comment, which is in ASCII. */
  static byte[] withComment(byte[] picture, String comment) throws IOException {
    byte[] content = (TYPE + KEYWORD + comment).getBytes(StandardCharsets.US_ASCII);
    CRC32 checksum = new CRC32();
    checksum.update(content);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.write(picture, 0, HEADER_BYTES);
    out.writeInt(content.length - TYPE.length());
    out.write(content);
    out.writeInt((int) checksum.getValue());
    out.write(picture, HEADER_BYTES, picture.length - HEADER_BYTES);
    return bytes.toByteArray();
  }

  /** Returns the picture's comment; empty if it has none. */
  static String commentOf(byte[] picture) {
    ByteBuffer chunks = ByteBuffer.wrap(picture).position(SIGNATURE_BYTES);
    while (chunks.hasRemaining()) {
      byte[] content = new byte[chunks.getInt() + TYPE.length()];
      chunks.get(content).getInt(); // the checksum
      String text = new String(content, StandardCharsets.ISO_8859_1);
      if (text.startsWith(TYPE + KEYWORD)) {
        return text.substring(TYPE.length() + KEYWORD.length());
      }
    }
    return "";
  }
}
