package io.tony.azkaban.standin;

import azkaban.utils.Props;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.concurrent.CountDownLatch;
import org.apache.log4j.Logger;

/**
 * Stands in for Azkaban's HadoopSecurityManager, whose methods these are: its tokens are the words
 * of what it was asked for.
 */
public final class StandInManager {
  private final Props system;

  private StandInManager(Props system) {
    this.system = system;
  }

  public static StandInManager getInstance(Props system) {
    return new StandInManager(system);
  }

  public boolean isHadoopSecurityEnabled() {
    return system.getBoolean("standin.kerberos", true);
  }

  /** Logs what the real one does. */
  public void prefetchToken(File file, Props props, Logger log)
      throws IOException, InterruptedException {
    StringBuilder asked = new StringBuilder();
    for (String key : props.getKeySet()) {
      log.info(key + " is " + props.get(key));
    }
    for (String key :
        new String[] {
          "user.to.proxy",
          "obtain.namenode.token",
          "obtain.jobtracker.token",
          "obtain.hcat.token",
          "other_namenodes",
          "azkaban.security.credential"
        }) {
      asked.append(key).append('=').append(props.get(key)).append(' ');
    }
    if (props.get("user.to.proxy").equals("bob")) {
      throw new IOException(new IllegalStateException("no tokens for bob here"));
    }
    if (system.getBoolean("standin.waits", false)) {
      log.warn("waits");
      new CountDownLatch(1).await();
    }
    log.warn("a service was slow");
    Files.write(file.toPath(), asked.toString().getBytes(StandardCharsets.UTF_8));
  }

  /** Says on the log that the file is still there. */
  public void cancelTokens(File file, String user, Logger log) {
    log.warn("canceled those of " + user + " in a file of " + file.length() + " bytes");
  }
}
