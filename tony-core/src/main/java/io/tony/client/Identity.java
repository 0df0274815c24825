package io.tony.client;

import io.tony.client.source.InvalidJobException;
import java.io.IOException;
import java.security.PrivilegedAction;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.SecurityUtil;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.UserGroupInformation.AuthenticationMethod;

/**
 * As whom this client acts in Hadoop: as its own user, as Hadoop's client has it, or as the user
 * whom the job type names in its environment. Without Kerberos that is so by name; with Kerberos
 * the client's own user, by its ticket or a keytab, acts for the other one, as the cluster's {@code
 * hadoop.proxyuser} settings let it.
 */
final class Identity {
  private static final String USER = "TONY_RUN_AS";
  private static final String PRINCIPAL = "TONY_RUN_AS_PRINCIPAL";
  private static final String KEYTAB = "TONY_RUN_AS_KEYTAB";

  private Identity() {}

  /** Does what the command does, as whom it is to be done. */
  static int act(
      Map<String, String> environment, Configuration conf, PrivilegedAction<Integer> command)
      throws InvalidJobException, IOException {
    String user = environment.get(USER);
    if (user == null) {
      return command.run();
    }
    UserGroupInformation.setConfiguration(conf);
    return of(user, environment).doAs(command);
  }

  /**
   * Takes further files of the cluster.
   *
   * @throws InvalidJobException when only they tell that the cluster wants Kerberos, and as whom to
   *     act was decided without them
   */
  static void configure(Map<String, String> environment, Configuration conf)
      throws InvalidJobException {
    boolean secure = SecurityUtil.getAuthenticationMethod(conf) != AuthenticationMethod.SIMPLE;
    if (environment.containsKey(USER) && secure != UserGroupInformation.isSecurityEnabled()) {
      throw new InvalidJobException(
          List.of(
              "hadoop.security.authentication differs between the folder of hadoop.conf.dir and"
                  + " tony.application.hdfs-conf-path or tony.application.yarn-conf-path: where"
                  + " steps run as user.to.proxy, it must stand in the former's core-site.xml"));
    }
    UserGroupInformation.setConfiguration(conf);
  }

  private static UserGroupInformation of(String user, Map<String, String> environment)
      throws InvalidJobException, IOException {
    if (!UserGroupInformation.isSecurityEnabled()) {
      return UserGroupInformation.createRemoteUser(user);
    }
    if (environment.containsKey(KEYTAB)) {
      logIn(environment.get(PRINCIPAL), environment.get(KEYTAB));
    }
    UserGroupInformation own = UserGroupInformation.getLoginUser();
    if (own.getShortUserName().equals(user)) {
      throw new InvalidJobException(
          List.of(
              "user.to.proxy is " + user + ", which is Azkaban's own login: name another user"));
    }
    return UserGroupInformation.createProxyUser(user, own);
  }

  private static void logIn(String principal, String keytab) throws InvalidJobException {
    try {
      UserGroupInformation.loginUserFromKeytab(principal, keytab);
    } catch (IOException | IllegalArgumentException e) {
      throw new InvalidJobException(
          List.of(
              "Azkaban cannot log in as "
                  + principal
                  + " with the keytab "
                  + keytab
                  + " (proxy.user and proxy.keytab.location of the job type's private.properties): "
                  + e.getMessage()));
    }
  }
}
