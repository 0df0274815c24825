package io.tony.client.follow;

import io.tony.model.Known;
import java.io.IOException;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.exceptions.ApplicationNotFoundException;
import org.apache.hadoop.yarn.exceptions.YarnException;

/** Asks YARN what became of an application. */
@FunctionalInterface
public interface KnownToYarn {
  Known find(ApplicationId application) throws IOException, YarnException;

  static KnownToYarn of(YarnClient yarn) {
    return id -> {
      try {
        return RunningApplication.ended(yarn.getApplicationReport(id)) ? Known.ENDED : Known.ALIVE;
      } catch (ApplicationNotFoundException e) {
        return Known.UNKNOWN;
      }
    };
  }

  /** The same by its name, for those who know none of YARN's types. */
  default Known named(String application) throws IOException {
    try {
      return find(ApplicationId.fromString(application));
    } catch (YarnException e) {
      throw new IOException(e);
    }
  }
}
