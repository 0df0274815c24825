package io.tony.logs;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.security.PrivilegedExceptionAction;
import java.time.Duration;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * Requests pages of YARN daemons. If a daemon requires a login (SPNEGO), the client's own Kerberos
 * ticket is used, even if the client acts for another user.
 */
public final class YarnPage {
  private YarnPage() {}

  /**
   * Sends a GET request, without following redirects.
   *
   * @param timeout maximum time to wait for the connection, and for each read
   * @return the connection after the status was received; the body is not read yet
   */
  public static HttpURLConnection get(URI address, Duration timeout) throws IOException {
    PrivilegedExceptionAction<HttpURLConnection> action =
        () -> {
          HttpURLConnection page = (HttpURLConnection) address.toURL().openConnection();
          page.setInstanceFollowRedirects(false);
          page.setConnectTimeout(Math.toIntExact(timeout.toMillis()));
          page.setReadTimeout(Math.toIntExact(timeout.toMillis()));
          page.getResponseCode(); // sends the request now, since Java takes the ticket from the
          // current thread's login
          return page;
        };
    try {
      UserGroupInformation current = UserGroupInformation.getCurrentUser();
      return UserGroupInformation.getRealUserOrSelf(current).doAs(action);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("while " + address + " was asked for");
    }
  }
}
