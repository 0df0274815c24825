package io.tony.protocol;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertThrows;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.token.SecretManager.InvalidToken;
import org.apache.hadoop.security.token.Token;
import org.junit.Test;

public class JobKeyTest {
  private static final String APPLICATION = "application_1_0001";

  @Test
  public void shouldGiveTheSameTokensAfterTravellingInCredentials() throws IOException {
    JobKey key = JobKey.random(APPLICATION);
    Credentials credentials = new Credentials();
    key.putInto(credentials);

    JobKey again = JobKey.from(credentials, APPLICATION);

    TonyToken executor = new TonyToken(APPLICATION, TonyToken.Audience.EXECUTOR);
    assertArrayEquals(key.retrievePassword(executor), again.retrievePassword(executor));
    assertArrayEquals(
        key.token(TonyToken.Audience.EXECUTOR).getPassword(), again.retrievePassword(executor));
  }

  @Test
  public void shouldGiveEachAudienceAndEachKeyAnotherPassword() {
    JobKey key = JobKey.random(APPLICATION);
    byte[] executor = key.token(TonyToken.Audience.EXECUTOR).getPassword();

    assertFalse(Arrays.equals(executor, key.token(TonyToken.Audience.CLIENT).getPassword()));
    assertFalse(
        Arrays.equals(
            executor, JobKey.random(APPLICATION).token(TonyToken.Audience.EXECUTOR).getPassword()));
  }

  @Test
  public void shouldRefuseATokenOfAnotherApplication() {
    JobKey key = JobKey.random(APPLICATION);

    assertThrows(
        InvalidToken.class,
        () -> key.retrievePassword(new TonyToken("application_1_0002", TonyToken.Audience.CLIENT)));
  }

  @Test
  public void shouldSayWhatCredentialsLack() {
    IllegalStateException e =
        assertThrows(
            IllegalStateException.class, () -> JobKey.from(new Credentials(), APPLICATION));

    assertEquals("the credentials hold no job key of " + APPLICATION, e.getMessage());
  }

  @Test
  public void shouldReadTheTokenThatItWrites() throws IOException {
    TonyToken token = new TonyToken(APPLICATION, TonyToken.Audience.CLIENT);

    TonyToken read = new TonyToken();
    read.readFields(new DataInputStream(new ByteArrayInputStream(token.getBytes())));

    assertEquals(token, read);
    assertEquals(token.hashCode(), read.hashCode());
    assertEquals("tony-client", read.getUser().getUserName());
  }

  @Test
  public void shouldRefuseAnAudienceThatItDoesNotKnow() throws IOException {
    DataOutputBuffer bytes = new DataOutputBuffer();
    bytes.writeUTF(APPLICATION);
    bytes.writeUTF("EVERYBODY");

    assertThrows(
        IOException.class,
        () ->
            new TonyToken()
                .readFields(
                    new DataInputStream(
                        new ByteArrayInputStream(bytes.getData(), 0, bytes.getLength()))));
  }

  @Test
  public void shouldSelectTheTokenOfTheServiceThatIsCalled() {
    JobKey key = JobKey.random(APPLICATION);
    Token<TonyToken> here = key.token(TonyToken.Audience.CLIENT);
    here.setService(new Text("10.0.0.1:4000"));
    Token<TonyToken> there = key.token(TonyToken.Audience.CLIENT);
    there.setService(new Text("10.0.0.2:4000"));
    TonyTokenSelector selector = new TonyTokenSelector();

    assertSame(there, selector.selectToken(there.getService(), List.of(here, there)));
    assertNull(selector.selectToken(new Text("10.0.0.3:4000"), List.of(here, there)));
    assertNull(selector.selectToken(null, List.of(here, there)));
  }
}
