package io.tony.client.login;

import static org.junit.Assert.assertEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.security.token.TokenIdentifier;
import org.apache.hadoop.security.token.TokenRenewer;
import org.junit.Before;
import org.junit.Test;

/** The end of tokens that a client has taken. */
public class TokenLifetimeTest {
  private static final List<String> CANCELLED = new ArrayList<>();

  /** Found by its name in META-INF/services. */
  public static final class Renewer extends TokenRenewer {
    @Override
    public boolean handleKind(Text kind) {
      return kind.toString().equals("CANCELLED") || kind.toString().equals("UNMANAGED");
    }

    @Override
    public boolean isManaged(Token<?> token) {
      return token.getKind().toString().equals("CANCELLED");
    }

    @Override
    public long renew(Token<?> token, Configuration conf) {
      return 0;
    }

    @Override
    public void cancel(Token<?> token, Configuration conf) throws IOException {
      CANCELLED.add(token.getService().toString());
      if (token.getService().toString().equals("away")) {
        throw new IOException("no route to host");
      }
    }
  }

  @Before
  public void forget() {
    CANCELLED.clear();
  }

  private static void add(Credentials credentials, String kind, String service) {
    byte[] identifier = service.getBytes(StandardCharsets.UTF_8);
    credentials.addToken(
        new Text(service),
        new Token<TokenIdentifier>(identifier, new byte[0], new Text(kind), new Text(service)));
  }

  @Test
  public void shouldCancelAllThatCanBeThoughOneCannot() throws Exception {
    Credentials credentials = new Credentials();
    add(credentials, "CANCELLED", "away");
    add(credentials, "CANCELLED", "hdfs");
    add(credentials, "CANCELLED", "rm");
    add(credentials, "UNMANAGED", "store");

    TokenLifetime.cancel(credentials, new Configuration());

    assertEquals(List.of("away", "hdfs", "rm"), CANCELLED.stream().sorted().toList());
  }
}
