package io.tony.mini;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import org.apache.kerby.KOptions;
import org.apache.kerby.kerberos.kerb.KrbException;
import org.apache.kerby.kerberos.kerb.client.KrbClient;
import org.apache.kerby.kerberos.kerb.client.KrbConfig;
import org.apache.kerby.kerberos.kerb.client.KrbOption;

/** Creates Kerberos ticket caches, like {@code kinit -k}. */
public final class Tickets {
  private Tickets() {}

  /**
   * Requests a ticket for a user and writes it to a ticket cache, which it replaces atomically.
   *
   * @param krb5Conf the configuration file with the Kerberos server's address
   * @param keytab contains one principal, which is the user's
   * @param lifetime how long the ticket is valid
   * @param cache the file to be written
   */
  public static void obtain(Path krb5Conf, String user, Path keytab, Duration lifetime, Path cache)
      throws IOException {
    KOptions options = new KOptions();
    options.add(KrbOption.CLIENT_PRINCIPAL, user + "@" + Kdc.REALM);
    options.add(KrbOption.USE_KEYTAB, true);
    options.add(KrbOption.KEYTAB_FILE, keytab.toFile());
    options.add(KrbOption.LIFE_TIME, Math.toIntExact(lifetime.toSeconds()));
    options.add(KrbOption.RENEWABLE_TIME, 0); // the ticket is not renewable
    Path written = cache.resolveSibling(cache.getFileName() + ".new");
    try {
      KrbConfig config = new KrbConfig();
      config.addKrb5Config(krb5Conf.toFile());
      KrbClient client = new KrbClient(config);
      client.init();
      client.storeTicket(client.requestTgt(options), written.toFile());
    } catch (KrbException e) {
      throw new IOException("no ticket for " + user, e);
    }
    Files.move(written, cache, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }
}
