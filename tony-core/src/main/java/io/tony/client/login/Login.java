package io.tony.client.login;

import io.tony.client.input.InvalidJobException;
import java.io.IOException;
import java.lang.reflect.UndeclaredThrowableException;
import java.security.PrivilegedExceptionAction;
import java.util.List;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * Credentials of this client, and how to log in with them again: Hadoop issues delegation tokens
 * only to a user who authenticates by Kerberos and has no tokens.
 */
public final class Login {
  /** Creates a new login that is independent of the process's login. */
  interface Relogin {
    UserGroupInformation logIn() throws IOException;
  }

  private final Relogin relogin; // null if the client has only tokens
  private final boolean ticket;

  private Login(Relogin relogin, boolean ticket) {
    this.relogin = relogin;
    this.ticket = ticket;
  }

  /** Returns the login by a ticket of {@code kinit}; without Kerberos, by the user name alone. */
  public static Login byTicket() {
    return new Login(Login::ofTicketCache, true);
  }

  /**
   * Returns the login of a process that contains this client. The process keeps its login valid,
   * and other parts of it act as the same user, so no tokens are added to that user.
   */
  public static Login ofProcess() {
    return new Login(Login::ofTicketCache, false);
  }

  /** Returns true if this client has tokens and no other credentials. */
  boolean isByTokens() {
    return relogin == null;
  }

  /** Returns the login by the tokens that this client was given. */
  static Login byTokens() {
    return new Login(null, false);
  }

  /**
   * Logs this process in with a keytab, and returns the login.
   *
   * @param description names the keytab in the error message
   */
  static Login logInByKeytab(String principal, String keytab, String description)
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

  /** Returns true if this client can obtain new tokens. */
  public boolean canObtainTokens() throws IOException {
    return relogin != null && hasKerberos(UserGroupInformation.getCurrentUser());
  }

  /**
   * Returns true if a user has to renew the login, as with a ticket. After a ticket has ended, this
   * client continues with tokens.
   */
  public boolean isTicketOnly() {
    return ticket;
  }

  /**
   * Runs an action as the same user, with a new login and no tokens.
   *
   * @throws IOException if the action fails, or if the new login is another user's
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

  /** Throws an exception if the cluster requires Kerberos and this client has no credentials. */
  public static void requireCredentials() throws IOException {
    UserGroupInformation current = UserGroupInformation.getCurrentUser();
    if (UserGroupInformation.isSecurityEnabled()
        && !hasKerberos(current)
        && current.getTokens().isEmpty()) {
      // Hadoop would fail each call only after all its retries.
      throw new IOException("No valid credentials provided");
    }
  }
}
