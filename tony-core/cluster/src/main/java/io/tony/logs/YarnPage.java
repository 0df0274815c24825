package io.tony.logs;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.security.PrivilegedExceptionAction;
import java.time.Duration;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * Requests pages of YARN's daemons. If a daemon requires a login (SPNEGO), the Kerberos ticket of
 * this process is used, even if the process acts for another user.
 */
public final class YarnPage {
  private YarnPage() {}

  /**
   * Sends a GET request; does not follow redirects.
   *
   * @param timeout maximum time to wait for the connection, and for each read
   * @return the connection, whose status was received and whose body was not read yet
   */
  public static HttpURLConnection get(URI address, Duration timeout) throws IOException {
    PrivilegedExceptionAction<HttpURLConnection> action =
        () -> {
          HttpURLConnection page = (HttpURLConnection) address.toURL().openConnection();
          page.setInstanceFollowRedirects(false);
          page.setConnectTimeout(Math.toIntExact(timeout.toMillis()));
          page.setReadTimeout(Math.toIntExact(timeout.toMillis()));
          // Sends the request now, because Java takes the ticket from the login of the current
          // thread.
          page.getResponseCode();
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
