package io.tony.logs;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.security.PrivilegedExceptionAction;
import java.time.Duration;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * A page of a YARN daemon's. A daemon that wants a login (SPNEGO) is shown this client's own
 * ticket, also where the client acts for another user.
 */
public final class YarnPage {
  private YarnPage() {}

  /**
   * Asks for it, and for no other that it leads to.
   *
   * @param timeout for the daemon to begin its answer, and to go on with it
   * @return with the status of the answer; its body is still to be read
   */
  public static HttpURLConnection get(URI address, Duration timeout) throws IOException {
    PrivilegedExceptionAction<HttpURLConnection> action =
        () -> {
          HttpURLConnection page = (HttpURLConnection) address.toURL().openConnection();
          page.setInstanceFollowRedirects(false);
          page.setConnectTimeout(Math.toIntExact(timeout.toMillis()));
          page.setReadTimeout(Math.toIntExact(timeout.toMillis()));
          page.getResponseCode(); // Java looks for the ticket now, in what this thread runs as
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
