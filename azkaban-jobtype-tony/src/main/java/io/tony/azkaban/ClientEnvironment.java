package io.tony.azkaban;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Divides the job's {@code env.*} properties. The client runs as Azkaban's own user, so a job may
 * hand it what Hadoop and Kerberos read (a token file, a ticket cache), and nothing that decides
 * what code runs, such as PATH, LD_PRELOAD or JAVA_TOOL_OPTIONS.
 */
final class ClientEnvironment {

  private final Map<String, String> passed = new TreeMap<>();
  private final Set<String> refused = new TreeSet<>();

  ClientEnvironment(Map<String, String> requested) {
    requested.forEach(
        (name, value) -> {
          if (name.startsWith("HADOOP_") || name.startsWith("KRB5") || name.startsWith("YARN_")) {
            passed.put(name, value);
          } else {
            refused.add(name);
          }
        });
  }

  Map<String, String> passed() {
    return passed;
  }

  Set<String> refused() {
    return refused;
  }
}
