package io.tony.client.login;

import io.tony.client.input.InvalidJobException;
import java.io.IOException;
import java.lang.reflect.UndeclaredThrowableException;
import java.security.PrivilegedExceptionAction;
import java.util.List;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * How this client proves who it is, and can do so again: Hadoop gives delegation tokens only to
 * somebody who comes with Kerberos and without any token.
 */
public final class Login {
  /** Logs in anew, beside the login of this process. */
  interface Relogin {
    UserGroupInformation logIn() throws IOException;
  }

  private final Relogin relogin; // null where there are tokens only
  private final boolean ticket;

  private Login(Relogin relogin, boolean ticket) {
    this.relogin = relogin;
    this.ticket = ticket;
  }

  /** By a ticket that {@code kinit} has brought; without Kerberos by the name alone. */
  public static Login byTicket() {
    return new Login(Login::ofTicketCache, true);
  }

  /**
   * As the process of which this client is a part: others of it act as the same user, so that no
   * tokens are added to that one, and whoever has logged in sees to it that the login holds.
   */
  public static Login ofProcess() {
    return new Login(Login::ofTicketCache, false);
  }

  /** Whether this client has tokens and nothing else. */
  boolean isByTokens() {
    return relogin == null;
  }

  /** By the tokens that it was given. */
  static Login byTokens() {
    return new Login(null, false);
  }

  /**
   * By a keytab, from now on.
   *
   * @param description is told when it does not work
   */
  static Login byKeytab(String principal, String keytab, String description)
      throws InvalidJobException {
    try {
      UserGroupInformation.loginUserFromKeytab(principal, keytab);
    } catch (IOException | IllegalArgumentException e) {
      throw new InvalidJobException(List.of(description + " does not log in: " + e.getMessage()));
    }
    return new Login(
        () -> UserGroupInformation.loginUserFromKeytabAndReturnUGI(principal, keytab), false);
  }

  private static UserGroupInformation ofTicketCache() throws IOException {
    UserGroupInformation user =
        UserGroupInformation.getUGIFromTicketCache(System.getenv("KRB5CCNAME"), null);
    if (UserGroupInformation.isSecurityEnabled() && !user.hasKerberosCredentials()) {
      throw new IOException("No valid credentials provided");
    }
    return user;
  }

  /** Whether it can ask for new tokens at all. */
  public boolean canAskForTokens() throws IOException {
    return relogin != null && hasKerberos(UserGroupInformation.getCurrentUser());
  }

  /**
   * Whether a person has to renew it, as a ticket, and this client goes on with tokens where that
   * has ended.
   */
  public boolean isTicketOnly() {
    return ticket;
  }

  /**
   * Does something as the same user, freshly logged in.
   *
   * @throws IOException also when that would be somebody else by now
   */
  public <T> T runWithFreshLogin(PrivilegedExceptionAction<T> action)
      throws IOException, InterruptedException {
    UserGroupInformation current = UserGroupInformation.getCurrentUser();
    UserGroupInformation fresh = relogin.logIn();
    String previousUser = UserGroupInformation.getRealUserOrSelf(current).getShortUserName();
    if (!fresh.getShortUserName().equals(previousUser)) {
      throw new IOException(
          "the ticket is of "
              + fresh.getShortUserName()
              + " now, and this client's was of "
              + previousUser);
    }
    UserGroupInformation user =
        current.getRealUser() == null
            ? fresh
            : UserGroupInformation.createProxyUser(current.getUserName(), fresh);
    try {
      return user.doAs(action);
    } catch (UndeclaredThrowableException e) {
      throw new IOException(e.getCause());
    } finally {
      FileSystem.closeAllForUGI(user);
    }
  }

  private static boolean hasKerberos(UserGroupInformation user) {
    return UserGroupInformation.getRealUserOrSelf(user).hasKerberosCredentials();
  }

  /** Fails where the cluster wants Kerberos and there is nothing to come with. */
  public static void requireCredentials() throws IOException {
    UserGroupInformation current = UserGroupInformation.getCurrentUser();
    if (UserGroupInformation.isSecurityEnabled()
        && !hasKerberos(current)
        && current.getTokens().isEmpty()) {
      // Hadoop would find out by itself, call by call, for as long as it tries to connect.
      throw new IOException("No valid credentials provided");
    }
  }
}
