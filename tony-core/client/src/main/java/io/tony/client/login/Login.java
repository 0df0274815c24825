package io.tony.client.login;

import io.tony.client.input.InvalidJobException;
import java.io.IOException;
import java.lang.reflect.UndeclaredThrowableException;
import java.security.PrivilegedExceptionAction;
import java.util.List;
import java.util.Objects;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.security.UserGroupInformation;
import org.jspecify.annotations.Nullable;

/**
 * How this client has logged in, and how it can log in again. New logins are needed to obtain
 * tokens, because Hadoop issues delegation tokens only to a user who has authenticated by Kerberos
 * and has no tokens.
 */
public final class Login {
  /** Logs in again, without changing the login of this process. */
  interface Relogin {
    UserGroupInformation logIn() throws IOException;
  }

  // null if the client has only tokens, so that it cannot log in again
  private final @Nullable Relogin relogin;
  private final boolean ticket;

  private Login(@Nullable Relogin relogin, boolean ticket) {
    this.relogin = relogin;
    this.ticket = ticket;
  }

  /**
   * Returns the login by the user's {@code kinit} ticket or, without Kerberos, by the user's name.
   */
  public static Login byTicket() {
    return new Login(Login::ofTicketCache, true);
  }

  /**
   * Returns the login of an application that embeds this client. The application renews the login
   * itself. Its other code runs as the same user, so this client adds no tokens to that user.
   */
  public static Login ofProcess() {
    return new Login(Login::ofTicketCache, false);
  }

  /** Returns true if this client has only tokens, and cannot log in again. */
  boolean isByTokens() {
    return relogin == null;
  }

  /** Returns the login of a client that was given tokens and cannot log in again. */
  static Login byTokens() {
    return new Login(null, false);
  }

  /**
   * Logs this process in with a keytab. Returns the login.
   *
   * @param description user and keytab in words, for the message of the exception
   * @throws InvalidJobException if the login fails
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

  /** Returns true if this client can log in again and, by Kerberos, obtain new tokens. */
  public boolean canObtainTokens() throws IOException {
    return relogin != null && hasKerberos(UserGroupInformation.getCurrentUser());
  }

  /**
   * Returns true if only the user can renew the login, by {@code kinit}. After the ticket has
   * expired, this client continues with tokens.
   */
  public boolean isTicketOnly() {
    return ticket;
  }

  /**
   * Runs an action as the current user, but with a new login and without tokens. Call only if
   * {@link #canObtainTokens} returns true.
   *
   * @throws IOException if the login or the action fails, or if the new login belongs to another
   *     user than the current one
   */
  public <T> T runWithFreshLogin(PrivilegedExceptionAction<T> action)
      throws IOException, InterruptedException {
    UserGroupInformation current = UserGroupInformation.getCurrentUser();
    UserGroupInformation fresh = Objects.requireNonNull(relogin).logIn();
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

  /**
   * Throws an exception if the cluster requires Kerberos, and the current user has neither Kerberos
   * credentials nor tokens.
   */
  public static void requireCredentials() throws IOException {
    UserGroupInformation current = UserGroupInformation.getCurrentUser();
    if (UserGroupInformation.isSecurityEnabled()
        && !hasKerberos(current)
        && current.getTokens().isEmpty()) {
      // Fail now: Hadoop would retry each call many times before it fails.
      throw new IOException("No valid credentials provided");
    }
  }
}
