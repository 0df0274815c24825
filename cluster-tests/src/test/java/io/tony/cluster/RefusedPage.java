package io.tony.cluster;

import java.net.HttpURLConnection;
import java.net.URI;
import java.security.PrivilegedExceptionAction;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * Asks for a page with the current user's ticket, and fails unless the server knows who that is and
 * gives nothing. A process of its own.
 */
public final class RefusedPage {
  private RefusedPage() {}

  public static void main(String[] args) throws Exception {
    PrivilegedExceptionAction<Integer> asking =
        () -> {
          URI address = URI.create(args[0]);
          return ((HttpURLConnection) address.toURL().openConnection()).getResponseCode();
        };
    int status = UserGroupInformation.getLoginUser().doAs(asking);
    if (status < 400 || status == HttpURLConnection.HTTP_UNAUTHORIZED) {
      throw new AssertionError(args[0] + " answered " + status);
    }
  }
}
