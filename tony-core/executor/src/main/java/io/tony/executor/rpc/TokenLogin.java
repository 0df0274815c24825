package io.tony.executor.rpc;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import javax.security.auth.callback.Callback;
import javax.security.auth.callback.NameCallback;
import javax.security.auth.callback.PasswordCallback;
import javax.security.sasl.RealmCallback;
import javax.security.sasl.Sasl;
import javax.security.sasl.SaslClient;
import org.jspecify.annotations.Nullable;

/**
 * Login with a token: exchanges SASL messages in {@code RpcSaslProto} messages of Hadoop's {@code
 * RpcHeader.proto}. Both sides prove that they know the token's password, so an executor speaks
 * only to an ApplicationMaster of its own job.
 */
final class TokenLogin {
  // Values of RpcSaslProto.SaslState.
  private static final int SUCCESS = 0;
  private static final int NEGOTIATE = 1;
  private static final int INITIATE = 2;
  private static final int CHALLENGE = 3;
  private static final int RESPONSE = 4;
  private static final int WRAP = 5;

  private static final String TOKEN = "TOKEN"; // value of SaslRpcServer.AuthMethod

  private static final String MECHANISM = MasterCalls.LOGIN_MECHANISM;

  /** Maximum size of a login message; small, because the server is not authenticated yet. */
  private static final int MAX_MESSAGE_BYTES = 64 * 1024;

  /** A login method that the server offers ({@code RpcSaslProto.SaslAuth}). */
  private static final class SaslAuth {
    String method = "";
    String mechanism = "";
    String protocol = "";
    String server = "";
    byte @Nullable [] challenge; // the server's first challenge; null if the client begins

    WireWriter toMessage() {
      return new WireWriter().text(1, method).text(2, mechanism).text(3, protocol).text(4, server);
    }
  }

  /** A login message from the server. */
  private static final class SaslMessage {
    long state = -1;
    byte[] token = new byte[0];
    @Nullable SaslAuth auth; // the login method for tokens; null if the server does not offer it
  }

  private final DataInputStream in;
  private final DataOutputStream out;
  private final JobToken token;
  private final String protection;

  /**
   * Creates a login.
   *
   * @param protection protection of messages after the login: a value of {@link Sasl#QOP}
   */
  TokenLogin(DataInputStream in, DataOutputStream out, JobToken token, String protection) {
    this.in = in;
    this.out = out;
    this.token = token;
    this.protection = protection;
  }

  /**
   * Logs in. Returns the SASL client, which wraps later messages if they are protected.
   *
   * @throws IOException if the server rejects the token or does not prove that it knows the
   *     password
   */
  SaslClient run() throws IOException {
    send(NEGOTIATE, null, null);
    SaslMessage offer = receive();
    if (offer.state != NEGOTIATE || offer.auth == null) {
      throw new IOException("the server takes no tokens by " + MECHANISM);
    }
    SaslAuth auth = offer.auth;
    SaslClient client = client(auth);
    byte[] response =
        auth.challenge == null ? new byte[0] : client.evaluateChallenge(auth.challenge);
    send(INITIATE, response, auth);
    SaslMessage reply = receive();
    while (reply.state == CHALLENGE) {
      send(RESPONSE, client.evaluateChallenge(reply.token), null);
      reply = receive();
    }
    if (reply.state != SUCCESS) {
      throw new IOException("the server's login is in state " + reply.state);
    }
    if (!client.isComplete()) {
      client.evaluateChallenge(reply.token); // checks the server's proof
    }
    if (!client.isComplete()) {
      throw new IOException("the server has not proved that it knows the token's password");
    }
    return client;
  }

  private SaslClient client(SaslAuth auth) throws IOException {
    if (protection.equals(TokenDigest.PROTECTION)) {
      return new TokenDigest(name(), password(), auth.protocol + "/" + auth.server);
    }
    Map<String, String> properties = new HashMap<>();
    properties.put(Sasl.QOP, protection);
    properties.put(Sasl.SERVER_AUTH, "true");
    SaslClient client =
        Sasl.createSaslClient(
            new String[] {MECHANISM},
            null,
            auth.protocol,
            auth.server,
            properties,
            this::handleCallbacks);
    if (client == null) {
      throw new IOException("this Java has no SASL mechanism " + MECHANISM);
    }
    return client;
  }

  private void handleCallbacks(Callback[] callbacks) {
    for (Callback callback : callbacks) {
      if (callback instanceof NameCallback name) {
        name.setName(name());
      } else if (callback instanceof PasswordCallback password) {
        password.setPassword(password().toCharArray());
      } else if (callback instanceof RealmCallback realm) {
        realm.setText(realm.getDefaultText());
      }
    }
  }

  // Hadoop uses the encoded identifier and password of a token as user name and password of the
  // login.

  private String name() {
    return Base64.getEncoder().encodeToString(token.identifier());
  }

  private String password() {
    return Base64.getEncoder().encodeToString(token.password());
  }

  private void send(int state, byte @Nullable [] response, @Nullable SaslAuth auth)
      throws IOException {
    WireWriter message = new WireWriter().number(2, state);
    if (response != null) {
      message.bytes(3, response);
    }
    if (auth != null) {
      message.message(4, auth.toMessage());
    }
    write(out, message);
  }

  private static void write(DataOutputStream out, WireWriter message) throws IOException {
    Frames.write(
        out,
        RpcHeaders.request(RpcHeaders.LOGIN_CALL_ID, new byte[0]).delimited(message.toBytes()));
  }

  /** Sends bytes that the SASL client has wrapped. */
  static void sendWrapped(DataOutputStream out, byte[] bytes) throws IOException {
    write(out, new WireWriter().number(2, WRAP).bytes(3, bytes));
  }

  /** Reads bytes that the server has wrapped. */
  static byte[] receiveWrapped(DataInputStream in) throws IOException {
    SaslMessage reply = read(in, RpcHeaders.MAX_RESPONSE_BYTES);
    if (reply.state != WRAP) {
      throw new IOException("the server does not protect its messages");
    }
    return reply.token;
  }

  private SaslMessage receive() throws IOException {
    return read(in, MAX_MESSAGE_BYTES);
  }

  private static SaslMessage read(DataInputStream in, int maxBytes) throws IOException {
    WireReader frame = Frames.read(in, maxBytes);
    int call = RpcHeaders.readResponseHeader(frame);
    if (call != RpcHeaders.LOGIN_CALL_ID) {
      throw new IOException("a message of a login was expected, and not the answer to " + call);
    }
    WireReader message = frame.delimited();
    SaslMessage result = new SaslMessage();
    for (int field = message.next(); field != 0; field = message.next()) {
      switch (field) {
        case 2 -> result.state = message.number();
        case 3 -> result.token = message.bytes();
        case 4 -> {
          SaslAuth auth = readAuth(message.message());
          boolean supported = auth.method.equals(TOKEN) && auth.mechanism.equals(MECHANISM);
          result.auth = supported ? auth : result.auth;
        }
        default -> {} // skip a field that is not used here
      }
    }
    return result;
  }

  private static SaslAuth readAuth(WireReader auth) throws IOException {
    SaslAuth offered = new SaslAuth();
    for (int field = auth.next(); field != 0; field = auth.next()) {
      switch (field) {
        case 1 -> offered.method = auth.text();
        case 2 -> offered.mechanism = auth.text();
        case 3 -> offered.protocol = auth.text();
        case 4 -> offered.server = auth.text();
        case 5 -> offered.challenge = auth.bytes();
        default -> {} // skip a field that this version does not know
      }
    }
    return offered;
  }
}
