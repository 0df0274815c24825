package io.tony.timeline.draw;

import io.tony.timeline.Stage;
import io.tony.timeline.TaskAttempt;

/**
 * The colors of stages and steps: warm for waiting, blue for starting, green for running, violet
 * for ending.
 */
final class Palette {
  static final String INK = "#22303c";
  static final String FAINT = "#71808e";
  static final String GRID = "#e6ebef";
  static final String LANE = "#f6f8fa";
  static final String ALARM = "#b8452f";

  private Palette() {}

  static String of(Stage stage) {
    return switch (stage) {
      case QUEUED -> "#e9dcc3";
      case LOCALIZING -> "#c9d7e3";
      case MASTER -> "#a9c1d6";
      case ALLOCATING -> "#f0cf94";
      case BACKING_OFF -> "#dfb27a";
      case LAUNCHING -> "#7fa6c6";
      case STARTING -> "#a5cfc4";
      case WARMING_UP -> "#b5d6ae";
      case RUNNING -> "#6faf86";
      case STOPPING -> "#b9a7cf";
      case REPORTING -> "#dcd3e8";
    };
  }

  static String of(TaskAttempt.Step step) {
    return switch (step) {
      case WAITING -> of(Stage.ALLOCATING);
      case LAUNCHING -> of(Stage.LAUNCHING);
      case GATHERING -> "#d5dde4";
      case RUNNING -> of(Stage.RUNNING);
    };
  }
}
