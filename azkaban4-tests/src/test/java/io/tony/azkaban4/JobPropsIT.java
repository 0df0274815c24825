package io.tony.azkaban4;

import static org.junit.Assert.assertEquals;

import java.io.File;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.After;
import org.junit.Test;

/** A site's JobPropsProcessor, which changes the properties of each step before TonY sees them. */
public final class JobPropsIT extends Azkaban4Test {

  private static final String PROCESSOR =
      """
      public final class OfSite extends azkaban.jobtype.JobPropsProcessor {
        public OfSite(azkaban.utils.Props plugin) {
          super(plugin);
        }

        @Override
        public azkaban.utils.Props process(azkaban.utils.Props job) {
          job.put("tony.containers.envs", "TEAM=ads");
          job.put("tony.client.jvm.args", "-XX:+NoSuchOption");
          return job;
        }
      }
      """;

  private Path jar;

  @Test
  public void shouldTakeOptionsOfAProcessorButNotTheAdministratorsSettings() throws Exception {
    jar = azkaban().jobType().jobTypes().resolve("tony/of-site.jar");
    compile(jar);
    setJobTypePrivately("jobtype.job.props.processor.class=OfSite");
    files().job("train", tony(ONE_WORKER, "executes=test $TEAM = ads"));

    Execution execution = execute("train");

    execution.assertEnds("SUCCEEDED");
    execution.assertLoggedOnce(
        "train",
        "[tony.client.jvm.args] are the administrator's to set; the job's values are ignored.");
  }

  @After
  public void removeProcessor() throws Exception {
    if (jar != null) {
      Files.deleteIfExists(jar);
    }
  }

  private void compile(Path jar) throws Exception {
    Path source = Files.writeString(root().resolve("OfSite.java"), PROCESSOR);
    String lib = "";
    try (Stream<Path> jars = Files.list(azkaban().home().folder().resolve("lib"))) {
      lib = jars.map(Path::toString).collect(Collectors.joining(File.pathSeparator));
    }
    int problems =
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, "-proc:none", "-cp", lib, source.toString());
    assertEquals(0, problems);
    try (OutputStream file = Files.newOutputStream(jar);
        JarOutputStream classes = new JarOutputStream(file)) {
      classes.putNextEntry(new JarEntry("OfSite.class"));
      classes.write(Files.readAllBytes(root().resolve("OfSite.class")));
    }
  }
}
