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

/**
 * The login of a caller with a token: SASL in the messages {@code RpcSaslProto} of {@code
 * RpcHeader.proto}. Both sides prove that they know the password, so that an executor speaks to its
 * own ApplicationMaster only.
 */
final class TokenLogin {
  // RpcSaslProto.SaslState
  private static final int SUCCESS = 0;
  private static final int NEGOTIATE = 1;
  private static final int INITIATE = 2;
  private static final int CHALLENGE = 3;
  private static final int RESPONSE = 4;
  private static final int WRAP = 5;

  private static final String TOKEN = "TOKEN"; // SaslRpcServer.AuthMethod

  private static final String MECHANISM = MasterCalls.LOGIN_MECHANISM;

  /** A server that is not known yet gets no more of this process's memory. */
  private static final int LONGEST_MESSAGE = 64 * 1024;

  /** One way to log in that a server offers. */
  private static final class Way {
    String method = "";
    String mechanism = "";
    String protocol = "";
    String server = "";
    byte[] challenge; // null where the client begins

    WireWriter chosen() {
      return new WireWriter().text(1, method).text(2, mechanism).text(3, protocol).text(4, server);
    }
  }

  /** What a server says in the course of a login. */
  private static final class Said {
    long state = -1;
    byte[] token = new byte[0];
    Way way; // with a token; null where there is none
  }

  private final DataInputStream in;
  private final DataOutputStream out;
  private final JobToken token;
  private final String protection;

  /** {@code protection} is the value of SASL's property for what follows the login. */
  TokenLogin(DataInputStream in, DataOutputStream out, JobToken token, String protection) {
    this.in = in;
    this.out = out;
    this.token = token;
    this.protection = protection;
  }

  /** Returns with what the calls are to be protected by, or fails. */
  SaslClient run() throws IOException {
    say(NEGOTIATE, null, null);
    Said offer = hear();
    if (offer.state != NEGOTIATE || offer.way == null) {
      throw new IOException("the server takes no tokens by " + MECHANISM);
    }
    Way way = offer.way;
    SaslClient client = client(way);
    byte[] response = way.challenge == null ? new byte[0] : client.evaluateChallenge(way.challenge);
    say(INITIATE, response, way);
    Said said = hear();
    while (said.state == CHALLENGE) {
      say(RESPONSE, client.evaluateChallenge(said.token), null);
      said = hear();
    }
    if (said.state != SUCCESS) {
      throw new IOException("the server's login is in state " + said.state);
    }
    if (!client.isComplete()) {
      client.evaluateChallenge(said.token); // its proof
    }
    if (!client.isComplete()) {
      throw new IOException("the server has not proved that it knows the token's password");
    }
    return client;
  }

  private SaslClient client(Way way) throws IOException {
    if (protection.equals(TokenDigest.PROTECTION)) {
      return new TokenDigest(name(), password(), way.protocol + "/" + way.server);
    }
    Map<String, String> properties = new HashMap<>();
    properties.put(Sasl.QOP, protection);
    properties.put(Sasl.SERVER_AUTH, "true");
    SaslClient client =
        Sasl.createSaslClient(
            new String[] {MECHANISM}, null, way.protocol, way.server, properties, this::answer);
    if (client == null) {
      throw new IOException("this Java has no SASL mechanism " + MECHANISM);
    }
    return client;
  }

  private void answer(Callback[] callbacks) {
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

  // As Hadoop makes them of a token.

  private String name() {
    return Base64.getEncoder().encodeToString(token.identifier());
  }

  private String password() {
    return Base64.getEncoder().encodeToString(token.password());
  }

  private void say(int state, byte[] said, Way way) throws IOException {
    WireWriter message = new WireWriter().number(2, state);
    if (said != null) {
      message.bytes(3, said);
    }
    if (way != null) {
      message.message(4, way.chosen());
    }
    write(out, message);
  }

  private static void write(DataOutputStream out, WireWriter message) throws IOException {
    Frames.write(
        out, RpcHeaders.request(RpcHeaders.LOGIN, new byte[0]).delimited(message.toBytes()));
  }

  /** Sends bytes that the login protects. */
  static void sayWrapped(DataOutputStream out, byte[] bytes) throws IOException {
    write(out, new WireWriter().number(2, WRAP).bytes(3, bytes));
  }

  /** Reads bytes that the login protects. */
  static byte[] hearWrapped(DataInputStream in) throws IOException {
    Said said = read(in, RpcHeaders.LONGEST);
    if (said.state != WRAP) {
      throw new IOException("the server does not protect what it says");
    }
    return said.token;
  }

  private Said hear() throws IOException {
    return read(in, LONGEST_MESSAGE);
  }

  private static Said read(DataInputStream in, int longest) throws IOException {
    WireReader frame = Frames.read(in, longest);
    int call = RpcHeaders.answer(frame);
    if (call != RpcHeaders.LOGIN) {
      throw new IOException("a message of a login was expected, and not the answer to " + call);
    }
    WireReader message = frame.delimited();
    Said said = new Said();
    for (int field = message.next(); field != 0; field = message.next()) {
      switch (field) {
        case 2 -> said.state = message.number();
        case 3 -> said.token = message.bytes();
        case 4 -> {
          Way way = way(message.message());
          boolean known = way.method.equals(TOKEN) && way.mechanism.equals(MECHANISM);
          said.way = known ? way : said.way;
        }
        default -> {} // what is of no use here
      }
    }
    return said;
  }

  private static Way way(WireReader auth) throws IOException {
    Way way = new Way();
    for (int field = auth.next(); field != 0; field = auth.next()) {
      switch (field) {
        case 1 -> way.method = auth.text();
        case 2 -> way.mechanism = auth.text();
        case 3 -> way.protocol = auth.text();
        case 4 -> way.server = auth.text();
        case 5 -> way.challenge = auth.bytes();
        default -> {} // of a later version
      }
    }
    return way;
  }
}
