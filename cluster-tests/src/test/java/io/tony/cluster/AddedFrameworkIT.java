package io.tony.cluster;

import static org.junit.Assert.assertEquals;

import io.tony.runtime.added.PaddleJar;
import io.tony.testing.TonyCommand;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.FileSystem;
import org.junit.Before;
import org.junit.Test;

/** A framework in a jar of its own, given to both sides as docs/add-a-framework.md says. */
public class AddedFrameworkIT extends ClusterTest {
  private static final String FRAMEWORKS = "/apps/tony/frameworks";

  private Path jar;

  @Before
  public void writeProgramAndJar() throws Exception {
    jar = PaddleJar.write(folder.getRoot().toPath());
    write(
        "train.py",
        """
        import os

        for name in ('PADDLE_TRAINER_ID', 'PADDLE_TRAINERS_NUM'):
            print(name, os.environ[name])
        assert os.environ['PADDLE_CURRENT_ENDPOINT'] in os.environ['PADDLE_TRAINER_ENDPOINTS'].split(',')
        """);
  }

  /** Starts two workers of the framework; the client has its jar. */
  private TonyCommand submitPaddle(String... arguments) throws Exception {
    List<String> all =
        new ArrayList<>(
            List.of(
                "submit",
                "-executes",
                "python3 train.py",
                "-conf",
                "tony.containers.resources=train.py",
                "-conf",
                "tony.application.framework=paddle",
                "-conf",
                "tony.am.memory=256m",
                "-conf",
                "tony.worker.memory=128m",
                "-conf",
                "tony.worker.instances=2"));
    all.addAll(List.of(arguments));
    return TonyCommand.start(
        cluster().confDir().toString(),
        jar + ":" + cluster().hadoopClasspath(),
        folder.getRoot().toPath(),
        all);
  }

  @Test
  public void shouldTellTasksWhatAFrameworkInAJarOnTheClusterSays() throws Exception {
    try (FileSystem fs = cluster().fileSystem()) {
      fs.copyFromLocalFile(
          new org.apache.hadoop.fs.Path(jar.toUri()),
          new org.apache.hadoop.fs.Path(FRAMEWORKS, jar.getFileName().toString()));
    }
    try (TonyCommand tony = submitPaddle("-hdfs_classpath", FRAMEWORKS)) {
      tony.assertExit(0);
      assertEquals(
          "PADDLE_TRAINER_ID 1\nPADDLE_TRAINERS_NUM 2\n",
          log(tony.application(), "worker:1", "stdout"));
    } finally {
      try (FileSystem fs = cluster().fileSystem()) {
        fs.delete(new org.apache.hadoop.fs.Path(FRAMEWORKS), true);
      }
    }
  }
}
