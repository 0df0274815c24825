package io.tony.client.input;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Computes SHA-256 hashes, as hexadecimal texts. */
public final class Sha256 {
  private Sha256() {}

  public static MessageDigest newDigest() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  public static String hexDigest(MessageDigest digest) {
    return HexFormat.of().formatHex(digest.digest());
  }

  /** Returns the hash of a file's content. Throws an exception if the thread is interrupted. */
  public static String of(LocalFile file) throws IOException {
    return copy(file, OutputStream.nullOutputStream());
  }

  /** Copies a file's content to {@code out}. Returns the hash of the copied bytes. */
  public static String copy(LocalFile file, OutputStream out) throws IOException {
    MessageDigest digest = newDigest();
    try (InputStream in = new DigestInputStream(file.open(), digest)) {
      in.transferTo(out);
    }
    return hexDigest(digest);
  }
}
