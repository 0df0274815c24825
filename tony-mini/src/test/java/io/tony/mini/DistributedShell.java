package io.tony.mini;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.util.ClassUtil;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.applications.distributedshell.ApplicationMaster;
import org.apache.hadoop.yarn.applications.distributedshell.Client;
import org.apache.hadoop.yarn.client.api.YarnClient;

/** Hadoop's own sample application, which runs one shell command in a number of containers. */
final class DistributedShell {

  private final Configuration conf;

  DistributedShell(Configuration conf) {
    this.conf = conf;
  }

  /** Completes with whether YARN calls the application SUCCEEDED. */
  CompletableFuture<Boolean> run(String name, int containers, String command) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            Client client = new Client(conf);
            client.init(
                new String[] {
                  "--appname",
                  name,
                  "--jar",
                  ClassUtil.findContainingJar(ApplicationMaster.class),
                  "--shell_command",
                  command,
                  "--num_containers",
                  Integer.toString(containers),
                  "--container_memory",
                  "128",
                  "--master_memory",
                  "256"
                });
            return client.run();
          } catch (Exception e) {
            throw new IllegalStateException(name + " was not run", e);
          }
        });
  }

  /** What YARN says of the only application of that name. */
  ApplicationReport report(String name) throws Exception {
    try (YarnClient yarn = YarnClient.createYarnClient()) {
      yarn.init(conf);
      yarn.start();
      List<ApplicationReport> named =
          yarn.getApplications().stream().filter(app -> app.getName().equals(name)).toList();
      if (named.size() != 1) {
        throw new AssertionError(named.size() + " applications are called " + name);
      }
      return named.get(0);
    }
  }
}
