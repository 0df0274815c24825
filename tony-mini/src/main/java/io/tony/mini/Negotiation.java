package io.tony.mini;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.security.PrivilegedActionException;
import java.security.PrivilegedExceptionAction;
import java.util.Base64;
import java.util.Map;
import javax.security.auth.Subject;
import javax.security.auth.login.AppConfigurationEntry;
import javax.security.auth.login.Configuration;
import javax.security.auth.login.LoginContext;
import javax.security.auth.login.LoginException;
import org.ietf.jgss.GSSContext;
import org.ietf.jgss.GSSManager;
import org.ietf.jgss.GSSName;
import org.ietf.jgss.Oid;

/**
 * Authenticates this JVM's HTTP requests to a secure cluster (SPNEGO, RFC 4559), independently of
 * Hadoop's security settings in this JVM. A JVM uses one {@code krb5.conf} at a time, so that only
 * the cluster of the latest {@link #logIn} accepts the requests.
 */
final class Negotiation {
  private static final String SPNEGO = "1.3.6.1.5.5.2";

  private final Subject subject;

  private Negotiation(Subject subject) {
    this.subject = subject;
  }

  /**
   * Logs in as the user as whom the cluster's daemons run.
   *
   * @param kdc the folder of the cluster's {@link Kdc}, which may run in another JVM
   */
  static Negotiation logIn(Path kdc) throws IOException {
    System.setProperty("java.security.krb5.conf", kdc.resolve(Kdc.KRB5_CONF).toString());
    String principal = Kdc.PRINCIPAL + "@" + Kdc.REALM;
    Map<String, String> options =
        Map.of(
            "refreshKrb5Config", "true",
            "doNotPrompt", "true",
            "useKeyTab", "true",
            "keyTab", kdc.resolve(Kdc.DAEMONS_KEYTAB).toString(),
            "principal", principal);
    try {
      LoginContext login = new LoginContext("", new Subject(), null, byKerberos(options));
      login.login();
      return new Negotiation(login.getSubject());
    } catch (LoginException e) {
      throw new IOException(principal + " does not log in", e);
    }
  }

  private static Configuration byKerberos(Map<String, String> options) {
    AppConfigurationEntry entry =
        new AppConfigurationEntry(
            "com.sun.security.auth.module.Krb5LoginModule",
            AppConfigurationEntry.LoginModuleControlFlag.REQUIRED,
            options);
    return new Configuration() {
      @Override
      public AppConfigurationEntry[] getAppConfigurationEntry(String name) {
        return new AppConfigurationEntry[] {entry};
      }
    };
  }

  /** Returns the value of the Authorization header for one request. */
  String authorization(URI uri) throws IOException {
    PrivilegedExceptionAction<byte[]> action =
        () -> {
          GSSManager manager = GSSManager.getInstance();
          GSSName server =
              manager.createName("HTTP@" + uri.getHost(), GSSName.NT_HOSTBASED_SERVICE);
          GSSContext context =
              manager.createContext(server, new Oid(SPNEGO), null, GSSContext.DEFAULT_LIFETIME);
          try {
            return context.initSecContext(new byte[0], 0, 0);
          } finally {
            context.dispose();
          }
        };
    try {
      return "Negotiate " + Base64.getEncoder().encodeToString(Subject.doAs(subject, action));
    } catch (PrivilegedActionException e) {
      throw new IOException("nothing to show to " + uri, e.getCause());
    }
  }
}
