package io.tony.client.login;

import io.tony.client.input.InvalidJobException;
import io.tony.client.input.JobFolder;
import io.tony.config.TonyConfig;
import io.tony.config.declared.ClientOptions;
import java.io.File;
import java.io.IOException;
import java.security.PrivilegedAction;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.SecurityUtil;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.UserGroupInformation.AuthenticationMethod;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.security.token.TokenIdentifier;
import org.apache.hadoop.security.token.delegation.AbstractDelegationTokenIdentifier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Chooses the Hadoop user as whom this client acts: the user whom the job type names in the
 * environment. If none is named, and the cluster is secure but the client has no Kerberos
 * credentials, that is the owner of the tokens in Hadoop's token file; otherwise the user of this
 * process or of its Kerberos ticket.
 *
 * <p>Without Kerberos, Hadoop trusts the name that the job type gives. With Kerberos, the client
 * uses tokens that Azkaban obtained for the named user; or it logs in as Azkaban's own user and
 * acts for the named user, which the cluster's {@code hadoop.proxyuser} settings must allow.
 */
public final class Identity {
  private static final Logger LOG = LoggerFactory.getLogger(Identity.class);
  private static final String USER = "TONY_RUN_AS";
  private static final String PRINCIPAL = "TONY_RUN_AS_PRINCIPAL";
  private static final String KEYTAB = "TONY_RUN_AS_KEYTAB";

  /**
   * Environment variable with the path of a file with tokens that Azkaban obtained for the user.
   */
  private static final String TOKENS = "TONY_RUN_AS_TOKENS";

  /** Runs the client with the login of the chosen user; returns the exit code. */
  public interface ClientAction {
    int run(Login login);
  }

  private Identity() {}

  /**
   * Runs the action as the chosen user. Returns the action's exit code.
   *
   * @throws InvalidJobException if the user is ambiguous or not allowed: the tokens have several
   *     owners, or another owner than the ticket or the named user; the named user is Azkaban's
   *     own; or the job type's keytab does not log in
   */
  public static int runAsUser(
      Map<String, String> environment, Configuration conf, ClientAction action)
      throws InvalidJobException, IOException {
    String user = environment.get(USER);
    if (user != null) {
      UserGroupInformation.setConfiguration(conf);
      return runAs(user, environment, conf, action);
    }
    if (environment.containsKey(UserGroupInformation.HADOOP_TOKEN_FILE_LOCATION)) {
      UserGroupInformation.setConfiguration(conf);
      UserGroupInformation own = UserGroupInformation.getLoginUser();
      if (UserGroupInformation.isSecurityEnabled() && !own.hasKerberosCredentials()) {
        return owner(own).doAs((PrivilegedAction<Integer>) () -> action.run(Login.byTokens()));
      }
      requireSingleOwner(own);
    }
    return action.run(Login.byTicket());
  }

  private static int runAs(
      String user, Map<String, String> environment, Configuration conf, ClientAction action)
      throws InvalidJobException, IOException {
    UserGroupInformation remoteUser = UserGroupInformation.createRemoteUser(user);
    if (!UserGroupInformation.isSecurityEnabled()) {
      return remoteUser.doAs((PrivilegedAction<Integer>) () -> action.run(Login.byTicket()));
    }
    String tokens = environment.get(TOKENS);
    if (tokens != null) {
      remoteUser.addCredentials(Credentials.readTokenStorageFile(new File(tokens), conf));
      requireTokensOf(user, remoteUser);
      return remoteUser.doAs((PrivilegedAction<Integer>) () -> action.run(Login.byTokens()));
    }
    Login login = Login.byTicket();
    String keytab = environment.get(KEYTAB);
    if (keytab != null) {
      String principal = environment.get(PRINCIPAL);
      if (principal == null) {
        throw new InvalidJobException(List.of(KEYTAB + " is set without " + PRINCIPAL));
      }
      login =
          Login.logInByKeytab(
              principal,
              keytab,
              "Azkaban's user "
                  + principal
                  + " with the keytab "
                  + keytab
                  + " (proxy.user and proxy.keytab.location of the job type's private.properties)");
    }
    UserGroupInformation own = UserGroupInformation.getLoginUser();
    if (own.getShortUserName().equals(user)) {
      throw new InvalidJobException(
          List.of(
              "user.to.proxy is " + user + ", which is Azkaban's own login: name another user"));
    }
    Login acting = login;
    return UserGroupInformation.createProxyUser(user, own)
        .doAs((PrivilegedAction<Integer>) () -> action.run(acting));
  }

  /**
   * Requires, with Kerberos, that all delegation tokens belong to the owner of the ticket.
   * Otherwise some calls would be made as one user and some as another.
   */
  private static void requireSingleOwner(UserGroupInformation own) throws InvalidJobException {
    Set<String> others = owners(own);
    others.remove(own.getShortUserName());
    if (UserGroupInformation.isSecurityEnabled() && !others.isEmpty()) {
      throw new InvalidJobException(
          List.of(
              "the tokens of "
                  + UserGroupInformation.HADOOP_TOKEN_FILE_LOCATION
                  + " belong to "
                  + others
                  + ", and the Kerberos ticket to "
                  + own.getShortUserName()
                  + ": act with one of them, and unset the other"));
    }
  }

  /**
   * Requires that the tokens belong to this user only (also fails if they have no owner). With
   * another user's tokens, the job would belong to that user.
   */
  private static void requireTokensOf(String user, UserGroupInformation remoteUser)
      throws InvalidJobException {
    Set<String> owners = owners(remoteUser);
    if (!owners.equals(Set.of(user))) {
      throw new InvalidJobException(
          List.of(
              "the tokens that Azkaban took for user.to.proxy="
                  + user
                  + " belong to "
                  + (owners.isEmpty() ? "nobody" : owners)
                  + ": Azkaban's hadoop.security.manager.class must take "
                  + user
                  + "'s, for HDFS and for YARN's ResourceManager"));
    }
  }

  private static Set<String> owners(UserGroupInformation own) {
    Set<String> owners = new TreeSet<>();
    for (Token<? extends TokenIdentifier> token : own.getTokens()) {
      try {
        if (token.decodeIdentifier() instanceof AbstractDelegationTokenIdentifier identifier) {
          owners.add(identifier.getUser().getShortUserName());
        }
      } catch (IOException e) {
        LOG.info(
            "The owner of a token of {} cannot be determined: {}",
            token.getService(),
            e.toString());
      }
    }
    return owners;
  }

  /**
   * Returns the one user who owns all delegation tokens of {@code own}, with these tokens. The
   * client acts as this user, because no other can use the tokens.
   *
   * @throws InvalidJobException if the tokens have several owners or none
   */
  private static UserGroupInformation owner(UserGroupInformation own) throws InvalidJobException {
    Set<String> owners = owners(own);
    if (owners.size() != 1) {
      throw new InvalidJobException(
          List.of(
              "the tokens of "
                  + UserGroupInformation.HADOOP_TOKEN_FILE_LOCATION
                  + " belong to "
                  + (owners.isEmpty() ? "nobody" : owners)
                  + ": they must be one user's, for HDFS and for YARN's ResourceManager"));
    }
    UserGroupInformation owner = UserGroupInformation.createRemoteUser(owners.iterator().next());
    owner.addCredentials(own.getCredentials());
    return owner;
  }

  /**
   * Makes Hadoop's login use {@code conf}, to which the job's configuration files have been added.
   * If the job names a keytab and the cluster is secure, logs in with the keytab. In a step of
   * Azkaban, the keytab is ignored, because the step must not choose its user. Returns the login to
   * use from now on.
   *
   * @param login the current login
   * @throws InvalidJobException if the options for the keytab are incomplete, contradict given
   *     tokens or do not log in; or if the job's files switch Kerberos on or off after the user was
   *     chosen
   */
  public static Login logIn(
      Map<String, String> environment, Configuration conf, TonyConfig config, Login login)
      throws InvalidJobException, IOException {
    boolean secure = SecurityUtil.getAuthenticationMethod(conf) != AuthenticationMethod.SIMPLE;
    if (environment.containsKey(USER) && secure != UserGroupInformation.isSecurityEnabled()) {
      throw new InvalidJobException(
          List.of(
              "hadoop.security.authentication differs between the folder of hadoop.conf.dir and"
                  + " tony.application.hdfs-conf-path or tony.application.yarn-conf-path: where"
                  + " steps run as user.to.proxy, it must stand in the former's core-site.xml"));
    }
    UserGroupInformation.setConfiguration(conf);
    Optional<String> principal = config.find(ClientOptions.KEYTAB_USER);
    Optional<String> keytab = config.find(ClientOptions.KEYTAB_LOCATION);
    // The job type has chosen the user of a step; the step must not choose another one.
    boolean isAzkabanStep = JobFolder.of(environment).isConfined();
    if (!secure || isAzkabanStep || (principal.isEmpty() && keytab.isEmpty())) {
      return login;
    }
    if (login.isByTokens()) {
      throw new InvalidJobException(
          List.of(
              "tony.keytab.user and "
                  + UserGroupInformation.HADOOP_TOKEN_FILE_LOCATION
                  + " both say as whom to act: leave one of them out"));
    }
    if (principal.isEmpty() || keytab.isEmpty()) {
      throw new InvalidJobException(
          List.of("tony.keytab.user and tony.keytab.location are set together, or neither is"));
    }
    return Login.logInByKeytab(
        principal.get(), keytab.get(), "tony.keytab.user with tony.keytab.location");
  }
}
