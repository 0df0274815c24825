package io.tony.azkaban.viewer;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * A server at {@code localhost} with HTTPS; its certificate is for the host that the test names.
 */
final class SecureServer implements AutoCloseable {
  private static final String PASSWORD = "a password of this test";

  private final KeyStore keys;
  private final HttpsServer server;

  SecureServer(Path folder, String host)
      throws IOException, GeneralSecurityException, InterruptedException {
    keys = keys(folder.resolve("keys"), host);
    KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    own.init(keys, PASSWORD.toCharArray());
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(own.getKeyManagers(), null, null);
    server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setHttpsConfigurator(new HttpsConfigurator(context));
    server.createContext("/", exchange -> StandInHistory.answer(exchange, 200, "well"));
    server.start();
  }

  /** Made by the JDK's own tool: Java has no public class that signs a certificate. */
  private static KeyStore keys(Path file, String host)
      throws IOException, GeneralSecurityException, InterruptedException {
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-keyalg",
                "EC",
                "-alias",
                "server",
                "-dname",
                "CN=" + host,
                "-ext",
                "san=dns:" + host,
                "-storetype",
                "PKCS12",
                "-storepass",
                PASSWORD,
                "-keystore",
                file.toString())
            .inheritIO()
            .start();
    if (keytool.waitFor() != 0) {
      throw new IOException("keytool exited with code " + keytool.exitValue());
    }
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      keys.load(in, PASSWORD.toCharArray());
    }
    return keys;
  }

  String address() {
    return "https://localhost:" + server.getAddress().getPort();
  }

  /** What a caller has who trusts whoever signed the certificate. */
  SSLContext trusting() throws IOException {
    try {
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(keys);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, trust.getTrustManagers(), null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IOException(e);
    }
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
