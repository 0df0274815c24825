package io.tony.executor.hadoop;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotSame;
import static org.junit.Assert.assertTrue;

import io.tony.container.Submitter;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.SaslRpcServer.AuthMethod;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;

/** As whom the executor works in the cluster's file system. */
public class SubmissionTest {
  private static final URI LOCAL = URI.create("file:///");

  private UserGroupInformation before;

  @Before
  public void remember() throws Exception {
    before = UserGroupInformation.getLoginUser();
  }

  @After
  public void restore() {
    UserGroupInformation.setConfiguration(new Configuration());
    UserGroupInformation.setLoginUser(before);
  }

  @Test
  public void shouldWorkAsTheSubmitterWithTheTokensThatItIsGiven() throws Exception {
    Credentials given = new Credentials();
    given.addSecretKey(new Text("key"), new byte[] {7});
    ByteArrayOutputStream tokens = new ByteArrayOutputStream();
    given.writeTokenStorageToStream(new DataOutputStream(tokens));
    Configuration conf = new Configuration();
    conf.set("hadoop.security.authentication", AuthMethod.TOKEN.toString());
    List<FileSystem> used = new ArrayList<>();

    for (int i = 0; i < 2; i++) {
      SubmitterFileSystem.runAsSubmitter(
          LOCAL,
          conf,
          tokens.toByteArray(),
          fs -> {
            UserGroupInformation user = UserGroupInformation.getCurrentUser();
            assertEquals(Submitter.name(), user.getShortUserName());
            assertEquals(7, user.getCredentials().getSecretKey(new Text("key"))[0]);
            assertEquals(user.getUserName(), loginUser().getUserName());
            assertTrue(UserGroupInformation.isSecurityEnabled());
            return used.add(fs);
          });
    }

    assertNotSame("closed after the work", used.get(0), used.get(1));
  }

  private static UserGroupInformation loginUser() throws IOException {
    UserGroupInformation login = UserGroupInformation.getLoginUser();
    assertEquals(1, login.getCredentials().numberOfSecretKeys());
    return login;
  }
}
