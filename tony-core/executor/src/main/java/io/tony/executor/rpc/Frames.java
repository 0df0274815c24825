package io.tony.executor.rpc;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import javax.security.sasl.Sasl;
import javax.security.sasl.SaslClient;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes length-prefixed messages of a connection after its login: plain, or wrapped by
 * SASL if the login agreed on a protection (integrity or privacy).
 */
final class Frames {
  private final DataInputStream in;
  private final DataOutputStream out;
  private final @Nullable SaslClient protection; // null if messages are plain

  Frames(DataInputStream in, DataOutputStream out, SaslClient login) {
    boolean plain = "auth".equals(login.getNegotiatedProperty(Sasl.QOP));
    this.protection = plain ? null : login;
    this.in = plain ? in : new DataInputStream(new UnwrappingStream(in, login));
    this.out = out;
  }

  void write(WireWriter message) throws IOException {
    if (protection == null) {
      write(out, message);
    } else {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      write(new DataOutputStream(bytes), message);
      TokenLogin.sendWrapped(out, protection.wrap(bytes.toByteArray(), 0, bytes.size()));
    }
  }

  WireReader read(int maxBytes) throws IOException {
    return read(in, maxBytes);
  }

  static void write(DataOutputStream out, WireWriter message) throws IOException {
    byte[] frame = message.toBytes();
    out.writeInt(frame.length);
    out.write(frame);
    out.flush();
  }

  static WireReader read(DataInputStream in, int maxBytes) throws IOException {
    int length = in.readInt();
    if (length < 0 || length > maxBytes) {
      throw new IOException("a message of " + length + " bytes, above " + maxBytes);
    }
    byte[] frame = new byte[length];
    in.readFully(frame);
    return new WireReader(frame);
  }

  /**
   * Input stream of the plain bytes in a server's SASL-wrapped messages. A plain message may span
   * several wrapped messages and vice versa.
   */
  private static final class UnwrappingStream extends InputStream {
    private final DataInputStream in;
    private final SaslClient protection;
    private ByteArrayInputStream next = new ByteArrayInputStream(new byte[0]);

    UnwrappingStream(DataInputStream in, SaslClient protection) {
      this.in = in;
      this.protection = protection;
    }

    @Override
    public int read() throws IOException {
      fill();
      return next.read();
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      fill();
      return next.read(bytes, offset, length);
    }

    private void fill() throws IOException {
      while (next.available() == 0) {
        byte[] wrapped = TokenLogin.receiveWrapped(in);
        next = new ByteArrayInputStream(protection.unwrap(wrapped, 0, wrapped.length));
      }
    }
  }
}
