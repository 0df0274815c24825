package io.tony.azkaban;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;

/**
 * The first line of a step's log: TonY's version, the Azkaban executor's host and the user, for
 * people who give support.
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

  /** Returns the version in the jar's manifest. */
  private static String version() {
    Package own = LogHeader.class.getPackage();
    String version = own == null ? null : own.getImplementationVersion();
    return version == null ? "of unknown version" : version;
  }

  /** Returns the host name as the kernel has it; a name server could be slow to answer. */
  private static String host() {
    try {
      byte[] name = Files.readAllBytes(Paths.get("/proc/sys/kernel/hostname"));
      return new String(name, StandardCharsets.UTF_8).trim();
    } catch (IOException e) {
      return "of unknown name";
    }
  }
}
