package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.model.JobEvent;
import io.tony.testing.TonyCommand;
import java.util.List;
import org.junit.Test;

/** A job that cannot work is refused with all that is wrong, and leaves nothing. */
public class InvalidJobIT extends ClusterTest {

  @Test
  public void shouldNameEveryProblemAndLeaveNothing() throws Exception {
    int before = applications();
    try (TonyCommand tony =
        submit(
            "-executes", "missing.py",
            "-python_binary_path", "python3",
            "-src_dir", "nowhere",
            "-conf", "tony.worker.instances=1",
            "-conf", "tony.worker.memmory=1g",
            "-conf", "tony.worker.memory=64g",
            "-conf", "tony.worker.vcores=99",
            "-conf", "tony.yarn.queue=no-such-queue",
            "-conf", "tony.application.framework=abacus",
            "-conf", "tony.containers.resources=not-there.zip#archive",
            "-conf", "tony.task.am.jvm.opts=-Dx=$(id)")) {
      tony.assertExit(2);
      for (String expected :
          List.of(
              "tony.worker.memmory (command line) is not an option: did you mean tony.worker.memory?",
              "each worker asks for 65536 MiB; the cluster's largest container has 4096 MiB",
              "each worker asks for 99 vcores; the cluster's largest container has",
              "queue no-such-queue does not exist; set tony.yarn.queue to one of [default]",
              "tony.application.framework is abacus; this version knows [generic, horovod,",
              "a framework of yours needs its jar on the client's class path, too",
              "src_dir is nowhere, which is neither a folder nor an archive in",
              "the job ships not-there.zip, which cannot be read",
              "tony.task.am.jvm.opts holds [-Dx=$(id)]")) {
        assertTrue(expected + "\nis missing in:\n" + tony.text(), tony.text().contains(expected));
      }
    }
    assertEquals(before, applications());
    assertEquals(List.of(), stagingFolders());
  }

  @Test
  public void shouldRefuseAJobWithoutACommand() throws Exception {
    try (TonyCommand tony = submit("-conf", "tony.worker.memory=128m")) {
      tony.assertExit(2);
      assertTrue(tony.text(), tony.text().contains("the job has no command: set executes"));
    }
  }

  /** As TonY did; one of its job files may have nothing but a command. */
  @Test
  public void shouldRunAJobWithoutRolesOnceAndSaySo() throws Exception {
    try (TonyCommand tony =
        submit("-executes=echo runs once; test $JOB_NAME:$TASK_NUM = worker:1")) {
      tony.assertExit(0);
      assertTrue(
          tony.text(), tony.text().contains("warning: no role has an instance: the job runs"));
      assertEquals(1, events(tony.application(), JobEvent.Type.TASK_STARTED).size());
    }
  }

  @Test
  public void shouldNameAScriptThatIsNotShipped() throws Exception {
    write("src/train.py", "pass\n");
    try (TonyCommand tony =
        tony(
            "validate",
            "-executes",
            "models/train.py",
            "-python_binary_path",
            "python3",
            "-src_dir",
            "src",
            "-conf",
            "tony.worker.instances=1")) {
      tony.assertExit(2);
      assertTrue(
          tony.text(),
          tony.text().contains("executes names the script models/train.py, which is not"));
    }
  }

  @Test
  public void shouldValidateAGoodJobWithoutSubmittingIt() throws Exception {
    int before = applications();
    try (TonyCommand tony =
        tony("validate", "-executes", "true", "-conf", "tony.worker.instances=2")) {
      tony.assertExit(0);
      assertTrue(tony.text(), tony.text().contains("tony is valid: 2 tasks"));
    }
    assertEquals(before, applications());
  }
}
