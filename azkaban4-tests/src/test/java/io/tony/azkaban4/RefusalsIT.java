package io.tony.azkaban4;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

/**
 * A step that the job type does not run. Azkaban 4 writes no exception of a job into the job's log:
 * the whole sentence must be there nevertheless, and once.
 */
public final class RefusalsIT extends Azkaban4Test {

  @Test
  public void shouldSayInTheStepsLogWhatIsWrongWithIt() throws Exception {
    int before = applications();
    files()
        .job("misspelt", tony(ONE_WORKER, "tony.worker.memmory=1g", "executes=true"))
        .job("self", tony(ONE_WORKER, "env.HADOOP_USER_NAME=hdfs", "executes=true"))
        .job("climbs", tony(ONE_WORKER, "tony.containers.resources=/etc/hostname", "executes=true"))
        .job("reads", tony(ONE_WORKER, "conf_file=s3a://secrets/tony.xml", "executes=true"))
        .job("end", "type=noop", "dependencies=misspelt,self,climbs,reads");

    Execution execution = execute(files().folder(), "end", new FlowOptions().finishPossible());

    execution.assertEnds("FAILED");
    execution.assertLoggedOnce(
        "misspelt",
        "tony.worker.memmory (job properties) is not an option: did you mean tony.worker.memory?");
    execution.assertLoggedOnce(
        "self",
        "[env.HADOOP_USER_NAME] would decide as whom, where or how TonY's client acts, which is not"
            + " a job's to say: remove it. The user to run as is user.to.proxy, the program's"
            + " environment is task_env.NAME.");
    execution.assertLoggedOnce("climbs", "which leads out of the job's folder");
    execution.assertLoggedOnce(
        "reads", "which lies on none of the cluster's file systems: put it onto hdfs://");
    for (String job : new String[] {"misspelt", "climbs", "reads"}) {
      execution.assertLoggedOnce(job, "(INVALID, exit code 2, no application)");
    }
    assertEquals(before, applications());
  }

  /** Azkaban lets a job and the parameters of its flow override what it says of a step. */
  @Test
  public void shouldRefuseAStepThatSaysWhichStepItIs() throws Exception {
    int before = applications();
    files().job("own", tony(ONE_WORKER, "azkaban.flow.projectname=payments", "executes=true"));
    Execution own = execute("own");
    own.assertEnds("FAILED");
    own.assertLoggedOnce(
        "own",
        "own.job sets azkaban.flow.projectname, which only Azkaban may set: remove what is not the"
            + " job's to say.");

    files().job("train", tony(ONE_WORKER, "executes=true"));
    for (String key : new String[] {"projectname", "projectid", "flowid", "nested.path"}) {
      FlowOptions options = new FlowOptions().parameter("azkaban.flow." + key, "payments");
      Execution told = execute(files().folder(), "train", options);
      told.assertEnds("FAILED");
      told.assertLoggedOnce("train", "azkaban.flow." + key + " is Azkaban's to set, and is ");
    }
    assertEquals(before, applications());
  }

  /** What only the administrator can mend is said to the author of the step, too. */
  @Test
  public void shouldSayInTheStepsLogThatTheJobTypeIsNotSetUp() throws Exception {
    int before = applications();
    setJobType("tony.client.java.home=/no/such/java", "hadoop.conf.dir=/no/such/conf");
    files().job("train", tony(ONE_WORKER, "executes=true"));

    Execution execution = execute("train");

    execution.assertEnds("FAILED");
    execution.assertLoggedOnce(
        "train", "TonY's job type is not set up on this Azkaban executor:\n  - ");
    execution.assertLoggedOnce("train", "/no/such/java");
    execution.assertLoggedOnce("train", "/no/such/conf");
    assertEquals(before, applications());
  }

  /** Not the job type's refusal, but a user of it meets it: it is Azkaban's own. */
  @Test
  public void shouldLeaveTheWorkingDirectoryToAzkaban() throws Exception {
    files().job("train", tony(ONE_WORKER, "working.dir=/tmp", "executes=true"));

    Execution execution = execute("train");

    execution.assertEnds("FAILED");
    execution.assertLogged("train", "working.dir is not valid: /tmp");
  }
}
