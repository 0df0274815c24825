package io.tony.azkaban4;

import static org.junit.Assert.assertEquals;

import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;

/**
 * A step between jobs of Azkaban's own types, on a platform whose {@code common.properties} and
 * {@code commonprivate.properties} are those of Azkaban's Hadoop job types: all of them reach the
 * step, too.
 */
public final class BesideHadoopJobsIT extends Azkaban4Test {
  private static final String DATA = "/tmp/beside-hadoop-jobs";

  private Path jobTypes;

  @Before
  public void installHadoopJobTypes() throws Exception {
    jobTypes = azkaban().jobType().jobTypes();
    String jars = cluster().property("classpath").replace(':', ',');
    Files.write(
        jobTypes.resolve("common.properties"),
        List.of(
            "hadoop.home=/export/apps/hadoop/latest",
            "pig.home=/export/apps/pig/latest",
            "queue=default",
            "jvm.args=-Xmx64m",
            "azkaban.should.proxy=false"));
    Files.write(
        jobTypes.resolve("commonprivate.properties"),
        List.of(
            "hadoop.security.manager.class=azkaban.security.HadoopSecurityManager_H_2_0",
            "azkaban.should.proxy=false",
            "obtain.binary.token=false",
            "jobtype.global.classpath=${hadoop.conf}," + jars,
            "hadoop.conf=" + cluster().property("conf"),
            "hadoop.home=/export/apps/hadoop/latest",
            "execute.as.user=false",
            "memCheck.enabled=false",
            "azkaban.native.lib="));
    Path type = Files.createDirectory(jobTypes.resolve("hadoopJava"));
    Files.write(
        type.resolve("private.properties"), List.of("jobtype.class=azkaban.jobtype.HadoopJavaJob"));
    Files.createFile(type.resolve("plugin.properties"));
    azkaban().reloadJobTypes();
  }

  @After
  public void removeHadoopJobTypes() throws Exception {
    for (String file :
        List.of("hadoopJava/private.properties", "hadoopJava/plugin.properties", "hadoopJava")) {
      Files.delete(jobTypes.resolve(file));
    }
    Files.delete(jobTypes.resolve("common.properties"));
    Files.write(
        jobTypes.resolve("commonprivate.properties"),
        List.of("execute.as.user=false", "memCheck.enabled=false"));
    azkaban().reloadJobTypes();
  }

  /** A jar as a project has it, with the class of the job. */
  private void addJar(Path folder) throws Exception {
    String name = HadoopShell.class.getName().replace('.', '/') + ".class";
    try (OutputStream file = Files.newOutputStream(folder.resolve("prepare.jar"));
        JarOutputStream jar = new JarOutputStream(file)) {
      jar.putNextEntry(new JarEntry(name));
      HadoopShell.class.getClassLoader().getResourceAsStream(name).transferTo(jar);
    }
  }

  @Test
  public void shouldTrainOnWhatAHadoopJobWroteAndPassTheResultToACommand() throws Exception {
    String shell = "\"$JAVA_HOME/bin/java\" org.apache.hadoop.fs.FsShell";
    Path published = root().resolve("published");
    files()
        .job(
            "prepare",
            "type=hadoopJava",
            "job.class=" + HadoopShell.class.getName(),
            "classpath=./*",
            "shell.arguments=-mkdir -p " + DATA + "/prepared")
        .job(
            "train",
            tony(
                ONE_WORKER,
                "dependencies=prepare",
                "executes="
                    + shell
                    + " -mv "
                    + DATA
                    + "/prepared "
                    + DATA
                    + "/trained && echo model="
                    + DATA
                    + "/trained > $TONY_OUTPUT_FILE"))
        .job(
            "publish",
            "type=command",
            "dependencies=train",
            "command=sh -c \"echo ${tony.output.model} > " + published + "\"");
    addJar(files().folder());

    Execution execution = execute("publish");

    execution.assertEnds("SUCCEEDED");
    assertEquals(DATA + "/trained\n", read(published));
    assertEquals("SUCCEEDED", application(execution, "train").finalStatus());
    List<String> warnings =
        execution
            .log("train")
            .lines()
            .filter(line -> !line.contains("all props for the job")) // Azkaban's own
            .filter(line -> line.matches(".*(pig\\.home|hadoop\\.home|jvm\\.args|\\bqueue\\]).*"))
            .toList();
    assertEquals("what the step says of the platform's own properties", List.of(), warnings);
  }
}
