package io.tony.executor.rpc;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.junit.Test;

/** What servers that are not an ApplicationMaster can get out of an executor. */
public class TokenLoginTest {
  private static final int NEGOTIATE = 1;
  private static final int SUCCESS = 0;
  private static final byte[] PASSWORD = "of the token".getBytes(StandardCharsets.UTF_8);

  private final ByteArrayOutputStream offered = new ByteArrayOutputStream();
  private final ByteArrayOutputStream heard = new ByteArrayOutputStream();

  private void offer(WireWriter message) throws IOException {
    byte[] header =
        new WireWriter().number(1, RpcHeaders.LOGIN_CALL_ID & 0xFFFF_FFFFL).number(2, 0).toBytes();
    Frames.write(
        new DataOutputStream(offered),
        new WireWriter().delimited(header).delimited(message.toBytes()));
  }

  private static WireWriter way(String method, String mechanism) {
    return new WireWriter().text(1, method).text(2, mechanism).text(3, "").text(4, "default");
  }

  private IOException refusal(String protection) {
    TokenLogin login =
        new TokenLogin(
            new DataInputStream(new ByteArrayInputStream(offered.toByteArray())),
            new DataOutputStream(heard),
            new JobToken(new byte[] {1}, PASSWORD),
            protection);
    IOException refusal = assertThrows(IOException.class, login::run);
    String said = heard.toString(StandardCharsets.ISO_8859_1);
    assertFalse(said, said.contains("of the token"));
    assertFalse(said, said.contains(Base64.getEncoder().encodeToString(PASSWORD)));
    return refusal;
  }

  @Test
  public void shouldSendThePasswordByNoMechanismThatTheServerChooses() throws IOException {
    offer(
        new WireWriter()
            .number(2, NEGOTIATE)
            .message(4, way("TOKEN", "PLAIN"))
            .message(4, way("SIMPLE", ""))
            .message(4, way("KERBEROS", "GSSAPI")));

    assertEquals("the server takes no tokens by DIGEST-MD5", refusal("auth").getMessage());
  }

  @Test
  public void shouldNotTakeASuccessForALogin() throws IOException {
    offer(new WireWriter().number(2, SUCCESS));

    refusal("auth");
  }

  @Test
  public void shouldNotTakeASuccessWithoutAProofForALogin() throws IOException {
    for (String protection : new String[] {"auth", "auth-conf"}) {
      offered.reset();
      byte[] challenge =
          ("realm=\"default\",nonce=\"abc\",qop=\""
                  + protection
                  + "\",charset=utf-8,"
                  + "algorithm=md5-sess,cipher=\"rc4\"")
              .getBytes(StandardCharsets.UTF_8);
      offer(
          new WireWriter()
              .number(2, NEGOTIATE)
              .message(4, way("TOKEN", "DIGEST-MD5").bytes(5, challenge)));
      offer(new WireWriter().number(2, SUCCESS).bytes(3, new byte[0]));

      IOException refusal = refusal(protection);

      assertTrue(
          refusal.toString(), heard.toString(StandardCharsets.ISO_8859_1).contains("cnonce"));
    }
  }

  @Test
  public void shouldReadNoMessageThatIsTooLong() throws IOException {
    new DataOutputStream(offered).writeInt(Integer.MAX_VALUE);

    assertTrue(refusal("auth").getMessage().contains("a message of 2147483647 bytes"));
  }
}
