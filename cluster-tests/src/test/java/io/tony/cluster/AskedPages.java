package io.tony.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.security.PrivilegedExceptionAction;
import java.util.Base64;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.authentication.client.AuthenticatedURL;
import org.apache.hadoop.security.authentication.client.AuthenticationException;
import org.apache.hadoop.security.authentication.client.KerberosAuthenticator;

/**
 * Asks for pages with the current user's ticket, as Hadoop's own clients do, and prints one line
 * for each: its status, and its text in Base64. A process of its own.
 */
public final class AskedPages {
  private AskedPages() {}

  public static void main(String[] addresses) throws Exception {
    PrivilegedExceptionAction<Void> asking =
        () -> {
          for (String address : addresses) {
            ask(address);
          }
          return null;
        };
    UserGroupInformation.getLoginUser().doAs(asking);
  }

  /** Each time with a new login: what one server has signed, another may take. */
  private static void ask(String address) throws IOException, AuthenticationException {
    HttpURLConnection page =
        new AuthenticatedURL(new KerberosAuthenticator())
            .openConnection(URI.create(address).toURL(), new AuthenticatedURL.Token());
    int status = page.getResponseCode();
    try (InputStream text = status < 400 ? page.getInputStream() : page.getErrorStream()) {
      System.out.println(status + " " + Base64.getEncoder().encodeToString(text.readAllBytes()));
    }
  }
}
