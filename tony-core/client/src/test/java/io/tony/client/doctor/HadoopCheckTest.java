package io.tony.client.doctor;

import static org.junit.Assert.assertEquals;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.junit.Test;

public class HadoopCheckTest {

  @Test
  public void shouldKnowTheVersionsOfHadoopThatItRunsOn() {
    assertEquals(Finding.Verdict.OK, HadoopCheck.jars("3.3.6", "3.3.6").verdict());
    assertEquals(Finding.Verdict.OK, HadoopCheck.jars("3.5.0", "3.5.0").verdict());
    assertEquals(Finding.Verdict.WARNING, HadoopCheck.jars("3.6.0", "3.6.0").verdict());
    assertEquals(Finding.Verdict.FAILED, HadoopCheck.jars("3.2.4", "3.2.4").verdict());
    assertEquals(Finding.Verdict.FAILED, HadoopCheck.jars("2.10.2", "2.10.2").verdict());
  }

  @Test
  public void shouldSeeJarsOfTwoVersions() {
    assertEquals(
        Finding.failed(
            "Hadoop's jars are of two versions: common 3.3.6, YARN 3.4.2",
            "Let HADOOP_HOME, or TONY_HADOOP_CLASSPATH, name one Hadoop"),
        HadoopCheck.jars("3.3.6", "3.4.2"));
  }

  @Test
  public void shouldNameAllThatIsMissingInTheConfiguration() {
    assertEquals(
        Finding.failed(
            "there is no core-site.xml on the class path; there is no yarn-site.xml on the class"
                + " path; fs.defaultFS is file:///, which no node shares;"
                + " yarn.resourcemanager.hostname is not set",
            "Set HADOOP_CONF_DIR to the folder of the cluster's core-site.xml and yarn-site.xml"),
        HadoopCheck.configuration(new YarnConfiguration()));
  }

  @Test
  public void shouldNameEveryResourceManager() {
    Configuration conf = new Configuration(false);
    conf.set("yarn.resourcemanager.address", "rm:8032");
    assertEquals("rm:8032", HadoopCheck.resourceManager(conf));

    conf.setBoolean("yarn.resourcemanager.ha.enabled", true);
    conf.set("yarn.resourcemanager.ha.rm-ids", "rm1,rm2");
    conf.set("yarn.resourcemanager.address.rm1", "one:8032");
    conf.set("yarn.resourcemanager.hostname.rm2", "two");
    assertEquals("one:8032, two", HadoopCheck.resourceManager(conf));
  }
}
