package io.tony.client.application;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.util.Optional;
import javax.security.auth.login.LoginException;
import org.junit.Test;

public class HadoopErrorsTest {
  private static String of(Throwable trouble) {
    return HadoopErrors.of(new IOException("on the way", trouble)).orElseThrow();
  }

  @Test
  public void shouldSayWhoMayAllowAnotherUser() {
    assertEquals(
        "the cluster does not let azkaban/host@REALM act for mallory: have its administrator allow"
            + " it in the core-site.xml of NameNode and ResourceManager"
            + " (hadoop.proxyuser.azkaban.hosts, and hadoop.proxyuser.azkaban.users or .groups), or"
            + " name another user in user.to.proxy",
        of(
            new IOException(
                "User: azkaban/host@REALM is not allowed to impersonate mallory, while invoking")));
  }

  @Test
  public void shouldSayWhatAClientWithoutTicketOrTokensNeeds() {
    for (String message :
        new String[] {
          "Client cannot authenticate via:[TOKEN, KERBEROS]",
          "SIMPLE authentication is not enabled.  Available:[TOKEN, KERBEROS]"
        }) {
      assertTrue(of(new IOException(message)).contains("kinit"));
    }
  }

  /** As Hadoop 3.3 says it, and as its later versions do. */
  @Test
  public void shouldSayWhatAUserWithoutANameNeeds() {
    String cause = "java.lang.NullPointerException: invalid null input: name\n\tat com.sun";
    for (IOException trouble :
        new IOException[] {
          new IOException(
              "Invalid UID, could not determine effective user", new LoginException(cause)),
          new IOException("failure to login: " + new LoginException(cause))
        }) {
      String told = of(trouble);
      assertTrue(told, told.matches("the uid [0-9]+ of this process has no entry in /etc/pass.*"));
      assertTrue(told, told.endsWith("(docs/containers.md)"));
    }
  }

  @Test
  public void shouldNameTheFileSystemOfWhichATokenIsMissing() {
    String told =
        of(
            new IOException(
                "no token of hdfs://other:8020: DestHost:destPort other:8020 , Failed.\n"
                    + " Client cannot authenticate via:[TOKEN, KERBEROS]"));
    assertTrue(told, told.startsWith("hdfs://other:8020 wants Kerberos"));
    assertTrue(told, told.contains("HADOOP_TOKEN_FILE_LOCATION"));
  }

  @Test
  public void shouldTellWhatHdfsDoesNotPermitWithoutWhereInItsCode() {
    String said =
        "Permission denied: user=bob, access=WRITE, inode=\"/user\":hdfs:supergroup:drwxr-xr-x";
    assertEquals(
        "HDFS says: " + said + "; the owner whom it names, or HDFS's administrator, can permit it",
        of(new IOException(said + "\n\tat org.apache.hadoop.hdfs.server.namenode.Check(C.java)")));
  }

  @Test
  public void shouldLeaveOtherTroubleAsItIs() {
    assertEquals(Optional.empty(), HadoopErrors.of(new IOException("Connection refused")));
    assertEquals(Optional.empty(), HadoopErrors.of(new IOException()));
  }
}
