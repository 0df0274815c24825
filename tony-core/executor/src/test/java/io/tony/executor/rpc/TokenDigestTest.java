package io.tony.executor.rpc;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import javax.security.auth.callback.Callback;
import javax.security.auth.callback.NameCallback;
import javax.security.auth.callback.PasswordCallback;
import javax.security.sasl.AuthorizeCallback;
import javax.security.sasl.RealmCallback;
import javax.security.sasl.Sasl;
import javax.security.sasl.SaslException;
import javax.security.sasl.SaslServer;
import org.junit.Test;

/** Against Java's own server of the mechanism, which is Hadoop's. */
public class TokenDigestTest {
  private static SaslServer server(String protection) throws IOException {
    return Sasl.createSaslServer(
        "DIGEST-MD5", "", "default", Map.of(Sasl.QOP, protection), TokenDigestTest::answer);
  }

  private static void answer(Callback[] callbacks) {
    for (Callback callback : callbacks) {
      if (callback instanceof NameCallback name) {
        assertEquals("a name", name.getDefaultName());
      } else if (callback instanceof RealmCallback realm) {
        realm.setText(realm.getDefaultText());
      } else if (callback instanceof PasswordCallback password) {
        password.setPassword("a password".toCharArray());
      } else if (callback instanceof AuthorizeCallback who) {
        who.setAuthorized(true);
      }
    }
  }

  private static TokenDigest client(String password) {
    return new TokenDigest("a name", password, "/default");
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  public void shouldLogInAtJavasServer() throws Exception {
    SaslServer server = server("auth");
    TokenDigest client = client("a password");

    byte[] proof =
        server.evaluateResponse(client.evaluateChallenge(server.evaluateResponse(new byte[0])));

    assertTrue(server.isComplete());
    assertFalse("the server has to prove itself, too", client.isComplete());
    client.evaluateChallenge(proof);
    assertTrue(client.isComplete());
    assertEquals("auth", client.getNegotiatedProperty(Sasl.QOP));
  }

  @Test
  public void shouldLogInWhereMoreIsOffered() throws Exception {
    SaslServer server = server("auth-conf,auth-int,auth");
    TokenDigest client = client("a password");

    client.evaluateChallenge(
        server.evaluateResponse(client.evaluateChallenge(server.evaluateResponse(new byte[0]))));

    assertTrue(client.isComplete());
    assertEquals("auth", server.getNegotiatedProperty(Sasl.QOP));
  }

  @Test
  public void shouldNotLogInWithAnotherPassword() throws Exception {
    SaslServer server = server("auth");
    byte[] response = client("another").evaluateChallenge(server.evaluateResponse(new byte[0]));

    assertThrows(SaslException.class, () -> server.evaluateResponse(response));
  }

  @Test
  public void shouldNotBelieveAServerThatDoesNotKnowThePassword() throws Exception {
    for (String proof : new String[] {"rspauth=00112233445566778899aabbccddeeff", "rspauth=", ""}) {
      SaslServer server = server("auth");
      TokenDigest client = client("a password");
      client.evaluateChallenge(server.evaluateResponse(new byte[0]));

      assertThrows(SaslException.class, () -> client.evaluateChallenge(bytes(proof)));
      assertFalse(client.isComplete());
    }
  }

  @Test
  public void shouldNotLogInWithoutTheProtectionThatTheServerDemands() throws Exception {
    byte[] challenge = server("auth-conf").evaluateResponse(new byte[0]);

    SaslException refusal =
        assertThrows(SaslException.class, () -> client("a password").evaluateChallenge(challenge));

    assertTrue(refusal.getMessage(), refusal.getMessage().contains("auth-conf"));
  }

  @Test
  public void shouldRefuseWhatIsNoChallenge() {
    for (String challenge :
        new String[] {
          "",
          "nonce",
          "nonce=\"abc",
          "nonce=\"\",algorithm=md5-sess",
          "nonce=\"abc\",algorithm=md5",
          "nonce=\"a\\\"c\",algorithm=md5-sess"
        }) {
      assertThrows(
          challenge,
          SaslException.class,
          () -> client("a password").evaluateChallenge(bytes(challenge)));
    }
  }
}
