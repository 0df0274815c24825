package io.tony.azkaban;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;

/** Which TonY runs a step, and where: what a person who is asked for help wants to know first. */
final class PluginVersion {

  private PluginVersion() {}

  /** The first line of a step's log. */
  static String firstLine() {
    return "TonY "
        + version()
        + " on Azkaban executor "
        + host()
        + ", as user "
        + System.getProperty("user.name")
        + ".";
  }

  /** As the jar's manifest has it. */
  private static String version() {
    Package own = PluginVersion.class.getPackage();
    String version = own == null ? null : own.getImplementationVersion();
    return version == null ? "of unknown version" : version;
  }

  /** As the kernel has it: a name server could be slow to answer. */
  private static String host() {
    try {
      byte[] name = Files.readAllBytes(Paths.get("/proc/sys/kernel/hostname"));
      return new String(name, StandardCharsets.UTF_8).trim();
    } catch (IOException e) {
      return "of unknown name";
    }
  }
}
