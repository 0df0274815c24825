package io.tony.timeline;

/**
 * What a job as a whole is doing or waiting for. The stages of a job follow one another without
 * gaps, so that their durations add up to the total. The stages from {@link #ALLOCATING} to {@link
 * #RUNNING} repeat when the gang is restarted, or when containers are requested for roles that
 * start after others.
 */
public enum Stage {
  /** From the submission until YARN has launched the ApplicationMaster's container. */
  QUEUED("YARN starts the master"),
  /** Until the ApplicationMaster's JVM starts; YARN copies its files to the node. */
  LOCALIZING("master's files arrive"),
  /** Until the ApplicationMaster has registered with YARN and requests containers. */
  MASTER("master starts"),
  /** Until the last container is allocated. */
  ALLOCATING("waits for containers"),
  /** From the release of an incomplete gang's containers until they are requested again. */
  BACKING_OFF("backs off, to ask again"),
  /** Until the last executor has registered, so that the gang is complete. */
  LAUNCHING("executors start"),
  /** Until every program has been started. */
  STARTING("programs are started"),
  /** Until the first progress report, if the job reports progress. */
  WARMING_UP("programs warm up"),
  /** Until the job's result is decided, by the last relevant exit or by a request to stop. */
  RUNNING("programs run"),
  /** Until nothing of the job runs any more. */
  STOPPING("what still runs is stopped"),
  /** Until YARN shows the application as ended. */
  REPORTING("reported to YARN");

  private final String label;

  Stage(String label) {
    this.label = label;
  }

  /** Returns a short description for display. */
  public String label() {
    return label;
  }
}
