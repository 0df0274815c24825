package io.tony.azkaban;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;

/**
 * Creates the first line of a step's log, for support: TonY's version, the host of Azkaban's
 * executor and the operating system's user.
 */
final class LogHeader {

  private LogHeader() {}

  static String firstLine() {
    return "TonY "
        + version()
        + " on Azkaban executor "
        + host()
        + ", as user "
        + System.getProperty("user.name")
        + ".";
  }

  /** Returns TonY's version from the manifest of the plugin's jar. */
  private static String version() {
    Package own = LogHeader.class.getPackage();
    String version = own == null ? null : own.getImplementationVersion();
    return version == null ? "of unknown version" : version;
  }

  /**
   * Returns the host name that the kernel has, without a query to a name server, which could be
   * slow.
   */
  private static String host() {
    try {
      byte[] name = Files.readAllBytes(Paths.get("/proc/sys/kernel/hostname"));
      return new String(name, StandardCharsets.UTF_8).trim();
    } catch (IOException e) {
      return "of unknown name";
    }
  }
}
