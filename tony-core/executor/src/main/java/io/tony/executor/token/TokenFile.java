package io.tony.executor.token;

import io.tony.executor.rpc.JobToken;
import io.tony.protocol.TokenKinds;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Tokens and secret keys in the format of YARN's container token file, which Hadoop's {@code
 * Credentials} defines: format version 0, in which values are Writables. Immutable.
 */
public final class TokenFile {
  private static final byte[] MAGIC = "HDTS".getBytes(StandardCharsets.US_ASCII);
  private static final int VERSION = 0;
  private static final int MAX_ENTRY_BYTES = 16 << 20;

  private static final class Token {
    final byte[] identifier;
    final byte[] password;
    final String kind;
    final String service;

    Token(DataInputStream in) throws IOException {
      identifier = bytes(in);
      password = bytes(in);
      kind = text(in);
      service = text(in);
    }

    void write(DataOutputStream out) throws IOException {
      TokenFile.write(out, identifier);
      TokenFile.write(out, password);
      TokenFile.write(out, kind);
      TokenFile.write(out, service);
    }
  }

  public static final TokenFile NONE = new TokenFile(Map.of(), Map.of());

  private final Map<String, Token> tokens; // tokens by alias
  private final Map<String, byte[]> keys; // secret keys by alias

  private TokenFile(Map<String, Token> tokens, Map<String, byte[]> keys) {
    this.tokens = tokens;
    this.keys = keys;
  }

  /**
   * Parses the content of a token file.
   *
   * @throws IOException if the content has another format or version, or ends early
   */
  public static TokenFile read(byte[] file) throws IOException {
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(file));
    byte[] magic = new byte[MAGIC.length];
    in.readFully(magic);
    int version = in.readByte();
    if (!Arrays.equals(magic, MAGIC) || version != VERSION) {
      throw new IOException("the file of tokens is not Hadoop's, or of version " + version);
    }
    Map<String, Token> tokens = new LinkedHashMap<>();
    long count = number(in);
    for (long i = 0; i < count; i++) {
      String alias = text(in);
      tokens.put(alias, new Token(in));
    }
    Map<String, byte[]> keys = new LinkedHashMap<>();
    long keyCount = number(in);
    for (long i = 0; i < keyCount; i++) {
      String alias = text(in);
      keys.put(alias, bytes(in));
    }
    return new TokenFile(tokens, keys);
  }

  /** Returns the first token of this kind; null if there is none. */
  public @Nullable JobToken find(String kind) {
    for (Token token : tokens.values()) {
      if (token.kind.equals(kind)) {
        return new JobToken(token.identifier, token.password);
      }
    }
    return null;
  }

  /** Returns the tokens and secret keys that a user's program may have. */
  TokenFile forPrograms() {
    Map<String, Token> programTokens = new LinkedHashMap<>();
    for (Map.Entry<String, Token> entry : tokens.entrySet()) {
      if (!TokenKinds.NOT_FOR_PROGRAMS.contains(entry.getValue().kind)) {
        programTokens.put(entry.getKey(), entry.getValue());
      }
    }
    Map<String, byte[]> programKeys = new LinkedHashMap<>(keys);
    programKeys.remove(TokenKinds.JOB_KEY);
    return new TokenFile(programTokens, programKeys);
  }

  /** Returns these tokens and keys plus the newer ones, which replace those of the same alias. */
  TokenFile with(TokenFile newer) {
    Map<String, Token> all = new LinkedHashMap<>(tokens);
    all.putAll(newer.tokens);
    Map<String, byte[]> allKeys = new LinkedHashMap<>(keys);
    allKeys.putAll(newer.keys);
    return new TokenFile(all, allKeys);
  }

  boolean isEmpty() {
    return tokens.isEmpty() && keys.isEmpty();
  }

  byte[] toBytes() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.write(MAGIC);
      out.writeByte(VERSION);
      write(out, tokens.size());
      for (Map.Entry<String, Token> entry : tokens.entrySet()) {
        write(out, entry.getKey());
        entry.getValue().write(out);
      }
      write(out, keys.size());
      for (Map.Entry<String, byte[]> entry : keys.entrySet()) {
        write(out, entry.getKey());
        write(out, entry.getValue());
      }
    } catch (IOException e) {
      throw new IllegalStateException("memory takes all bytes", e);
    }
    return bytes.toByteArray();
  }

  // ---- Hadoop's Writables: numbers have the format of WritableUtils.readVLong ----

  private static long number(DataInputStream in) throws IOException {
    byte first = in.readByte();
    if (first >= -112) {
      return first;
    }
    boolean negative = first < -120;
    int length = negative ? -120 - first : -112 - first;
    long value = 0;
    for (int i = 0; i < length; i++) {
      value = value << 8 | in.readUnsignedByte();
    }
    return negative ? ~value : value;
  }

  private static void write(DataOutputStream out, int number) throws IOException {
    if (number <= 127) {
      out.writeByte(number);
      return;
    }
    int length = Integer.BYTES - Integer.numberOfLeadingZeros(number) / Byte.SIZE;
    out.writeByte(-112 - length);
    for (int shift = (length - 1) * Byte.SIZE; shift >= 0; shift -= Byte.SIZE) {
      out.writeByte(number >> shift);
    }
  }

  private static byte[] bytes(DataInputStream in) throws IOException {
    long length = number(in);
    if (length < 0 || length > MAX_ENTRY_BYTES) {
      throw new IOException("the file of tokens has " + length + " bytes in one place");
    }
    byte[] bytes = new byte[(int) length];
    in.readFully(bytes);
    return bytes;
  }

  private static String text(DataInputStream in) throws IOException {
    return new String(bytes(in), StandardCharsets.UTF_8);
  }

  private static void write(DataOutputStream out, byte[] bytes) throws IOException {
    write(out, bytes.length);
    out.write(bytes);
  }

  private static void write(DataOutputStream out, String text) throws IOException {
    write(out, text.getBytes(StandardCharsets.UTF_8));
  }
}
