package io.tony.metrics;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;

import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import org.junit.Test;

public class ReportedProgressTest {
  @Test
  public void shouldReadHowFarAProgramIs() {
    assertEquals(OptionalDouble.of(0.12), ReportedProgress.fraction("step 1200/10000 loss 0.31"));
    assertEquals(OptionalDouble.of(0.5), ReportedProgress.fraction("epoch 1 / 2"));
    assertEquals(OptionalDouble.of(0.125), ReportedProgress.fraction("12.5 % done"));
    assertEquals(OptionalDouble.of(1), ReportedProgress.fraction("12/10"));
    assertEquals(OptionalDouble.of(0), ReportedProgress.fraction("0/10"));
  }

  @Test
  public void shouldReadARatioBehindWhatIsNone() {
    for (String line :
        List.of(
            "2026/01/02 03:04:05 step 5/10",
            "2026/01/02: 5/10",
            "01/02/2026 step 5/10",
            "[01/02 10:11:12] step 5/10",
            "01/02 10:11 5 / 10.",
            "2026-01-02T03:04:05Z 5/10",
            "data/part3/4 done, 5/10",
            "/mnt/3/4 5/10",
            "lr 1e-3/2 (5/10)",
            "3/0 then 5/10",
            "2026/01/02 50 %",
            "epoch 2.5/5.0",
            "step 5/10, 3/4 of the epoch")) {
      assertEquals(line, OptionalDouble.of(0.5), ReportedProgress.fraction(line));
    }
  }

  @Test
  public void shouldTellNothingThatALineDoesNotTell() {
    for (String line :
        List.of(
            "",
            "loss 0.31",
            "3/0",
            "a/b",
            "%",
            "2026/01/02 saved",
            "2026/01/02",
            "saved /mnt/3/4",
            "10/12 08:15:00 saved")) {
      assertEquals(line, OptionalDouble.empty(), ReportedProgress.fraction(line));
    }
  }

  @Test
  public void shouldReadAStepWhoseEndIsNotTold() {
    for (String line :
        List.of(
            "step 1200 loss 0.3",
            "Step: 1200",
            "loss 0.3 step=1200",
            "global_step=1200, lr 0.1",
            "iteration 1200",
            "2026/01/02 03:04:05 iter #1200")) {
      assertEquals(
          line, Optional.of(new ReportedProgress(1200, Double.NaN)), ReportedProgress.parse(line));
      assertEquals(line, OptionalDouble.empty(), ReportedProgress.fraction(line));
    }
    assertFalse(ReportedProgress.parse("step 1200").orElseThrow().hasTotal());
  }

  @Test
  public void shouldReadNoStepThatIsNone() {
    for (String line : List.of("footstep 12", "step one", "step 1.5", "steps 12x", "5 steps/s")) {
      assertEquals(line, Optional.empty(), ReportedProgress.parse(line));
    }
  }

  @Test
  public void shouldTellWhatIsCountedAndWhereItEnds() {
    assertEquals(
        Optional.of(new ReportedProgress(300, 1000)), ReportedProgress.parse("step 300/1000"));
    assertEquals(
        Optional.of(new ReportedProgress(12.5, 100)), ReportedProgress.parse("12.5 % done"));
  }
}
