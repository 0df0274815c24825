package io.tony.azkaban;

import static org.junit.Assert.assertEquals;

import io.tony.config.JobTranslation;
import io.tony.config.job.PropertyCheck;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.Test;

public final class PassedPropertiesTest {

  @Test
  public void shouldPassEveryKeyThatTheClientReads() {
    List<String> missing =
        JobTranslation.keys().stream()
            .map(key -> key.endsWith(".") ? key + "name" : key)
            .filter(key -> !PassedProperties.isPassed(key))
            .toList();

    assertEquals(List.of(), missing);
  }

  @Test
  public void shouldPassOnlyTheNamesOfEverythingElse() {
    assertEquals(
        Map.of(
            "tony.worker.instances", "4",
            "retries", "3",
            "azkaban.flow.executionsource", "retry",
            "other.mysql.password", "",
            "other.site.tony.yarn.queue", "",
            "other.other.queue", "",
            "other.Executes", ""),
        PassedProperties.of(
            properties(
                "tony.worker.instances=4",
                "retries=3",
                "azkaban.flow.executionsource=retry",
                "mysql.password=secret",
                "site.tony.yarn.queue=forged",
                "other.queue=forged",
                "Executes=train.py",
                // Of the administrator, of Azkaban, or told by the job type itself.
                "tony.client.java.home=/jdk",
                "tony.client.jvm.args=-Xmx1g",
                "tony.client.classpath=/jars",
                "hadoop.home=/hadoop",
                "hive.metastore=thrift://x",
                "type=tony",
                "dependencies=prepare",
                "working.dir=/executions/17",
                "user.to.proxy=alice",
                "azkaban.job.log.file=/executions/17/train.log",
                "jvm.args='-Dazkaban.flowid=f' '-Dazkaban.execid=17' '-Dazkaban.jobid=train'",
                "env.TOKEN=secret"),
            Map.of(),
            "hive.metastore"::equals));
  }

  /** {@code tony validate} refuses a step for the variables for which it would not run. */
  @Test
  public void shouldRefuseTheVariablesThatTheCheckOfAProjectRefuses() {
    for (String name :
        List.of(
            "HADOOP_OPTS",
            "HDFS_X",
            "YARN_X",
            "MAPRED_X",
            "KRB5CCNAME",
            "JAVA_HOME",
            "JDK_X",
            "_JAVA_OPTIONS",
            "CLASSPATH",
            "TONY_X",
            "TZ",
            "LC_ALL",
            "PATH",
            "MY_HADOOP_X")) {
      assertEquals(
          name, ClientEnvironment.isDecisive(name), PropertyCheck.isRefusedVariable("env." + name));
    }
  }

  @Test
  public void shouldTellOptionsOfAJvmThatAzkabanHasOnlyAddedTo() {
    assertEquals(
        Map.of("other.jvm.args", ""),
        PassedProperties.of(
            properties(
                "jvm.args='-Dazkaban.flowid=f' '-Dazkaban.execid=17' '-Dazkaban.jobid=t' -Xmx9g"),
            Map.of(),
            key -> false));
  }

  private static Map<String, String> properties(String... lines) {
    return Stream.of(lines)
        .map(line -> line.split("=", 2))
        .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1]));
  }

  @Test
  public void shouldMarkTheAdministratorsDefaults() {
    assertEquals(
        Map.of("site.tony.yarn.queue", "training", "tony.am.memory", "2g"),
        PassedProperties.of(
            Map.of("tony.yarn.queue", "training", "tony.am.memory", "2g"),
            Map.of("tony.yarn.queue", "training"),
            key -> false));
  }
}
