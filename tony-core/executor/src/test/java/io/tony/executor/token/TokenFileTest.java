package io.tony.executor.token;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.tony.executor.rpc.JobToken;
import io.tony.protocol.TokenKinds;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.security.token.TokenIdentifier;
import org.junit.Test;

/** Against Hadoop's own reader and writer. */
public class TokenFileTest {
  private static Token<TokenIdentifier> token(int length, String kind) {
    byte[] identifier = new byte[length];
    Arrays.fill(identifier, (byte) length);
    byte[] password = ("password " + length).getBytes(StandardCharsets.UTF_8);
    return new Token<>(identifier, password, new Text(kind), new Text("sérvice-" + length));
  }

  private static byte[] written(Credentials credentials) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    credentials.writeTokenStorageToStream(new DataOutputStream(bytes));
    return bytes.toByteArray();
  }

  private static Map<String, Token<?>> read(byte[] file) throws IOException {
    Credentials credentials = new Credentials();
    credentials.readTokenStorageStream(new DataInputStream(new ByteArrayInputStream(file)));
    Map<String, Token<?>> tokens = new HashMap<>();
    credentials.getTokenMap().forEach((alias, token) -> tokens.put(alias.toString(), token));
    return tokens;
  }

  private static Set<String> keys(byte[] file) throws IOException {
    Credentials credentials = new Credentials();
    credentials.readTokenStorageStream(new DataInputStream(new ByteArrayInputStream(file)));
    return credentials.getSecretKeyMap().keySet().stream()
        .map(Text::toString)
        .collect(Collectors.toSet());
  }

  @Test
  public void shouldReadAndWriteWhatHadoopDoes() throws Exception {
    Credentials credentials = new Credentials();
    for (int i = 0; i < 300; i++) {
      credentials.addToken(new Text("alias " + i), token(i, "KIND"));
    }
    credentials.addToken(new Text("long"), token(70_000, "KIND"));
    credentials.addSecretKey(new Text("a key"), new byte[200]);

    byte[] file = TokenFile.read(written(credentials)).toBytes();
    Map<String, Token<?>> back = read(file);

    Map<String, Token<?>> expected = new HashMap<>();
    credentials.getTokenMap().forEach((alias, token) -> expected.put(alias.toString(), token));
    assertEquals(expected, back);
    assertEquals(Set.of("a key"), keys(file));
  }

  @Test
  public void shouldGiveProgramsNoTokenOfYarnOrOfTheJob() throws Exception {
    Credentials credentials = new Credentials();
    for (String kind : TokenKinds.NOT_FOR_PROGRAMS) {
      credentials.addToken(new Text(kind), token(kind.length(), kind));
    }
    credentials.addToken(new Text("hdfs"), token(7, "HDFS_DELEGATION_TOKEN"));
    credentials.addSecretKey(new Text("keystore of the site"), new byte[] {1});
    credentials.addSecretKey(new Text(TokenKinds.JOB_KEY), new byte[] {2});
    TokenFile all = TokenFile.read(written(credentials));

    assertEquals(Set.of("hdfs"), read(all.forPrograms().toBytes()).keySet());
    assertEquals(Set.of("keystore of the site"), keys(all.forPrograms().toBytes()));
    assertTrue(TokenFile.NONE.isEmpty());
  }

  @Test
  public void shouldFindATokenByItsKind() throws Exception {
    Credentials credentials = new Credentials();
    credentials.addToken(new Text("one"), token(1, "ONE"));
    TokenFile file = TokenFile.read(written(credentials));

    assertNull(file.find("ANOTHER"));
    JobToken found = file.find("ONE");
    assertTrue(found != null);
  }

  @Test
  public void shouldPutNewerTokensInThePlaceOfThoseOfTheSameAlias() throws Exception {
    Credentials older = new Credentials();
    older.addToken(new Text("a"), token(1, "KIND"));
    older.addToken(new Text("b"), token(2, "KIND"));
    Credentials newer = new Credentials();
    newer.addToken(new Text("b"), token(3, "KIND"));

    Map<String, Token<?>> both =
        read(TokenFile.read(written(older)).with(TokenFile.read(written(newer))).toBytes());

    assertEquals(2, both.size());
    assertArrayEquals(token(3, "KIND").getIdentifier(), both.get("b").getIdentifier());
  }

  @Test
  public void shouldRefuseWhatIsNoTokenFile() throws Exception {
    byte[] file = written(new Credentials());
    byte[] otherVersion = file.clone();
    otherVersion[4] = 1;
    byte[] otherFile = file.clone();
    otherFile[0] = 'X';

    assertThrows(IOException.class, () -> TokenFile.read(otherVersion));
    assertThrows(IOException.class, () -> TokenFile.read(otherFile));
    assertThrows(IOException.class, () -> TokenFile.read(new byte[0]));
  }
}
