package io.tony.client.application;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.client.follow.ReportedYarn;
import io.tony.config.TonyConfig;
import io.tony.model.FailureKind;
import io.tony.model.JobResult;
import java.util.Map;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.FinalApplicationStatus;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;
import org.junit.Test;

/** How a job ended whose own word nobody has. */
public class YarnResultTest {
  private final ReportedYarn yarn = new ReportedYarn();

  private ApplicationReport failed(String diagnostics) throws Exception {
    yarn.show(YarnApplicationState.FAILED, 2, "N/A", -1);
    ApplicationReport report = yarn.getApplicationReport(ReportedYarn.APPLICATION);
    report.setDiagnostics(diagnostics);
    return report;
  }

  private ApplicationReport finished(FinalApplicationStatus status) throws Exception {
    yarn.showFinished(status);
    return yarn.getApplicationReport(ReportedYarn.APPLICATION);
  }

  private static JobResult of(ApplicationReport report, Map<String, String> options) {
    TonyConfig config = TonyConfig.builder().layer("test", options).build();
    return YarnResult.of(report, "YARN", false, config);
  }

  @Test
  public void shouldNameTheOptionWithWhichNoApplicationMasterStarts() throws Exception {
    ApplicationReport report =
        failed(
            "Unrecognized VM option 'UseFastGC'\nError: Could not create the Java Virtual Machine.");

    JobResult result = of(report, Map.of("tony.task.am.jvm.opts", "-XX:+UseFastGC"));

    assertEquals("another start is no help", FailureKind.INVALID, result.kind());
    assertTrue(result.message(), result.message().contains("UseFastGC"));
    assertTrue(result.message(), result.message().contains("tony.task.am.jvm.opts"));
  }

  @Test
  public void shouldCallANodeWithoutJavaNoFaultOfTheJob() throws Exception {
    JobResult result = of(failed("bash: /opt/java/bin/java: No such file or directory"), Map.of());

    assertEquals(FailureKind.AM_LOST, result.kind());
    assertTrue(result.message(), result.message().contains("/opt/java/bin/java"));
  }

  /** What its diagnostics quote may be a program's. */
  @Test
  public void shouldLookForThatOnlyWhereNoApplicationMasterWasLeft() throws Exception {
    ApplicationReport report = finished(FinalApplicationStatus.FAILED);
    report.setDiagnostics("bash: /opt/java/bin/java: No such file or directory");

    assertTrue(of(report, Map.of()).message().startsWith("YARN says: bash: "));
  }

  @Test
  public void shouldTellHowManyApplicationMastersWereTriedAndWhatYarnSays() throws Exception {
    JobResult result = of(failed("  AM Container exited with exitCode: 1\n"), Map.of());

    assertEquals(
        JobResult.failed(
            FailureKind.AM_LOST,
            "the ApplicationMaster was lost; 2 were tried (tony.am.max-attempts). YARN says: AM"
                + " Container exited with exitCode: 1"),
        result);
  }

  @Test
  public void shouldTellTheRemedyWhereAShellFoundNoJava() throws Exception {
    String remedy = "set tony.java.archive to an archive of Java 17";
    String message = of(failed("exited with  exitCode: 127"), Map.of()).message();
    assertTrue(message, message.contains(remedy));
    String other = of(failed("exited with  exitCode: 1270"), Map.of()).message();
    assertFalse(other, other.contains(remedy));
  }

  @Test
  public void shouldSayNothingForYarnWhichSaysNothing() throws Exception {
    JobResult result = of(failed(null), Map.of());

    assertTrue(result.message(), result.message().endsWith(". YARN says: "));
  }

  @Test
  public void shouldTakeWhatTheApplicationMasterToldYarn() throws Exception {
    assertEquals(
        JobResult.Status.SUCCEEDED,
        YarnResult.of(finished(FinalApplicationStatus.SUCCEEDED), "YARN").status());
    assertEquals(
        JobResult.Status.KILLED,
        YarnResult.of(finished(FinalApplicationStatus.KILLED), "YARN").status());
    ApplicationReport report = finished(FinalApplicationStatus.FAILED);
    assertEquals(FailureKind.PROGRAM, YarnResult.of(report, "YARN").kind());
    assertEquals(
        "no program ever ran", FailureKind.AM_LOST, YarnResult.of(report, "YARN", false).kind());
  }
}
