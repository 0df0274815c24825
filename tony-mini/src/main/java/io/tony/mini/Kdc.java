package io.tony.mini;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.kerby.kerberos.kerb.KrbException;
import org.apache.kerby.kerberos.kerb.server.SimpleKdcServer;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;

/**
 * A Kerberos server in this JVM, with the credentials of a cluster's daemons and users: the
 * daemons' keytab and, for each user, {@code USER.keytab} and {@code USER.ticket}, a ticket cache
 * like that of {@code kinit}. It enables Hadoop's security for the whole JVM, which cannot be
 * undone.
 */
final class Kdc implements AutoCloseable {
  /** The user as whom all daemons run, and who is HDFS's superuser. */
  static final String DAEMONS = "hadoop";

  static final String REALM = "TONY.TEST";
  static final String KRB5_CONF = "krb5.conf";
  static final String DAEMONS_KEYTAB = DAEMONS + ".keytab";
  private static final int MAX_NODES = 4;
  private static final Duration TICKET_LIFETIME = Duration.ofHours(10);
  static final String PRINCIPAL = DAEMONS + "/" + DaemonSettings.HOST;
  private static final String HTTP_PRINCIPAL = "HTTP/" + DaemonSettings.HOST;

  private final SimpleKdcServer server;
  private final Path folder;

  private Kdc(SimpleKdcServer server, Path folder) {
    this.server = server;
    this.folder = folder;
  }

  /**
   * Starts the server, creates all principals, and sets this JVM's Kerberos configuration.
   *
   * @param folder a new folder for the keytabs, the ticket caches and {@code krb5.conf}
   * @param users the names of the cluster's users
   */
  static Kdc start(Path folder, List<String> users) throws IOException {
    Files.createDirectories(folder);
    Logger.getLogger("org.apache.kerby").setLevel(Level.ERROR); // by default it logs each ticket
    try {
      SimpleKdcServer server = new SimpleKdcServer();
      server.setWorkDir(folder.toFile());
      server.setKdcHost(DaemonSettings.HOST);
      server.setKdcRealm(REALM);
      server.setAllowUdp(false);
      server.setKdcTcpPort(Ports.next());
      server.init();
      server.start();
      Kdc kdc = new Kdc(server, folder);
      System.setProperty("java.security.krb5.conf", kdc.krb5Conf().toString());
      kdc.createPrincipals(kdc.daemonsKeytab(), PRINCIPAL, HTTP_PRINCIPAL);
      for (int node = 1; node <= MAX_NODES; node++) {
        // The principal of the web server of a NodeManager that has its own address
        // (--own-addresses).
        kdc.createPrincipals(kdc.daemonsKeytab(), "HTTP/127.1.0." + node);
      }
      Files.writeString(kdc.signature(), UUID.randomUUID().toString());
      for (String user : users) {
        kdc.createUser(user);
      }
      return kdc;
    } catch (KrbException e) {
      throw new IOException("the Kerberos server does not start", e);
    }
  }

  private void createPrincipals(File keytab, String... principals) throws KrbException {
    for (String principal : principals) {
      server.createPrincipal(principal);
      server.exportPrincipal(principal, keytab);
    }
  }

  private void createUser(String user) throws KrbException, IOException {
    File keytab = folder.resolve(user + ".keytab").toFile();
    createPrincipals(keytab, user);
    Tickets.obtain(
        krb5Conf(), user, keytab.toPath(), TICKET_LIFETIME, folder.resolve(user + ".ticket"));
  }

  /**
   * Logs this JVM in as the daemons' user. To be called only after Hadoop's configuration has
   * enabled Kerberos.
   */
  void logIn() throws IOException {
    UserGroupInformation.loginUserFromKeytab(PRINCIPAL + "@" + REALM, daemonsKeytab().getPath());
  }

  /**
   * Returns the path of the Kerberos configuration file for clients and containers; {@code
   * /etc/krb5.conf} is not used.
   */
  Path krb5Conf() {
    return folder.resolve(KRB5_CONF);
  }

  /**
   * Returns the path of the file with the secret with which web servers sign authentication
   * cookies.
   */
  private Path signature() {
    return folder.resolve("signature");
  }

  private File daemonsKeytab() {
    return folder.resolve(DAEMONS_KEYTAB).toFile();
  }

  /**
   * Returns the Hadoop properties of a secure cluster: all users are authenticated, all RPC is
   * encrypted, and the daemons' web pages require authentication (SPNEGO).
   */
  Map<String, String> settings() {
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("hadoop.security.authentication", "kerberos");
    settings.put("hadoop.security.authorization", "true");
    settings.put("hadoop.rpc.protection", "privacy");
    settings.put("hadoop.security.auth_to_local", "RULE:[2:$1] RULE:[1:$1] DEFAULT");
    settings.put("dfs.block.access.token.enable", "true");
    // Allows the DataNode to listen on a port that does not require root. For tests only.
    settings.put("ignore.secure.ports.for.testing", "true");
    settings.put("hadoop.http.authentication.type", "kerberos");
    settings.put("hadoop.http.authentication.kerberos.principal", "*");
    settings.put("hadoop.http.authentication.kerberos.keytab", daemonsKeytab().getPath());
    settings.put("hadoop.http.authentication.signature.secret.file", signature().toString());
    for (String daemon : List.of("dfs.namenode", "dfs.datanode")) {
      settings.put(daemon + ".kerberos.principal", PRINCIPAL + "@" + REALM);
      settings.put(daemon + ".keytab.file", daemonsKeytab().getPath());
    }
    for (String daemon : List.of("yarn.resourcemanager", "yarn.nodemanager")) {
      settings.put(daemon + ".principal", PRINCIPAL + "@" + REALM);
      settings.put(daemon + ".keytab", daemonsKeytab().getPath());
    }
    settings.put("dfs.web.authentication.kerberos.principal", HTTP_PRINCIPAL + "@" + REALM);
    settings.put("dfs.web.authentication.kerberos.keytab", daemonsKeytab().getPath());
    return settings;
  }

  @Override
  public void close() throws IOException {
    try {
      server.stop();
    } catch (KrbException e) {
      throw new IOException("the Kerberos server does not stop", e);
    }
  }
}
