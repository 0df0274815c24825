package io.tony.client.follow;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.security.PrivilegedExceptionAction;
import java.time.Duration;
import org.apache.hadoop.security.UserGroupInformation;

/** A page of a YARN daemon's, as a browser of this client's user would get it. */
public final class YarnPage {
  private YarnPage() {}

  /**
   * Asks for it, with this client's ticket where the daemon wants one (SPNEGO).
   *
   * @param limit for the daemon to begin its answer, and to go on with it
   * @return with the status of the answer; its body is still to be read
   */
  public static HttpURLConnection get(URI address, Duration limit) throws IOException {
    PrivilegedExceptionAction<HttpURLConnection> asking =
        () -> {
          HttpURLConnection page = (HttpURLConnection) address.toURL().openConnection();
          page.setConnectTimeout(Math.toIntExact(limit.toMillis()));
          page.setReadTimeout(Math.toIntExact(limit.toMillis()));
          page.getResponseCode(); // Java looks for the ticket now, in what this thread runs as
          return page;
        };
    try {
      UserGroupInformation current = UserGroupInformation.getCurrentUser();
      return UserGroupInformation.getRealUserOrSelf(current).doAs(asking);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("while " + address + " was asked for");
    }
  }
}
