package io.tony.container;

import static org.junit.Assert.assertEquals;

import java.security.PrivilegedExceptionAction;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.After;
import org.junit.Test;

public class SubmitterTest {
  private static Map<String, String> environment(String user) throws Exception {
    return UserGroupInformation.createRemoteUser(user)
        .doAs((PrivilegedExceptionAction<Map<String, String>>) Submitter::environment);
  }

  @After
  public void withoutKerberos() {
    UserGroupInformation.reset();
  }

  @Test
  public void shouldNameTheSubmitter() throws Exception {
    assertEquals(Map.of("HADOOP_USER_NAME", "alice"), environment("alice"));
    assertEquals(Map.of("HADOOP_USER_NAME", "Zoë.o'Neill-2"), environment("Zoë.o'Neill-2"));
  }

  @Test
  public void shouldNameNobodyWhomAShellWouldChange() throws Exception {
    for (String user : List.of("a$b", "`id`", "CORP\\alice", "a\"b", "{{X}}", "<CPS>", "a\nb")) {
      assertEquals(user, Map.of(), environment(user));
    }
  }

  @Test
  public void shouldNotNameTheSubmitterToHadoopWhereThereIsKerberos() throws Exception {
    Configuration conf = new Configuration(false);
    conf.set(CommonConfigurationKeysPublic.HADOOP_SECURITY_AUTHENTICATION, "kerberos");
    conf.set("hadoop.security.auth_to_local", "DEFAULT");
    System.setProperty("java.security.krb5.realm", "EXAMPLE");
    System.setProperty("java.security.krb5.kdc", "localhost");
    try {
      UserGroupInformation.setConfiguration(conf);

      assertEquals(Map.of("TONY_SUBMITTER", "alice"), environment("alice@EXAMPLE"));
    } finally {
      System.clearProperty("java.security.krb5.realm");
      System.clearProperty("java.security.krb5.kdc");
    }
  }
}
