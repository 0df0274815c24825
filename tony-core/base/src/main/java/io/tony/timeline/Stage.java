package io.tony.timeline;

/**
 * What a job as a whole is doing or waiting for. The stages of a job follow one another without
 * gaps, so that their durations add up to the duration of the job. The stages from {@link
 * #ALLOCATING} to {@link #RUNNING} repeat when the gang is restarted, and when containers are
 * requested for roles that start later than others. A stage begins when the previous one ends.
 */
public enum Stage {
  /** From the submission until YARN has launched the ApplicationMaster's container. */
  QUEUED("YARN starts the master"),
  /**
   * Until the ApplicationMaster's JVM starts. YARN copies the ApplicationMaster's files to the node
   * meanwhile.
   */
  LOCALIZING("master's files arrive"),
  /** Until the ApplicationMaster has registered with YARN and requests containers. */
  MASTER("master starts"),
  /** Until the last requested container is allocated. */
  ALLOCATING("waits for containers"),
  /** From the release of an incomplete gang's containers until they are requested again. */
  BACKING_OFF("backs off, to ask again"),
  /**
   * Until the last executor has registered with the ApplicationMaster, so that the gang is
   * complete.
   */
  LAUNCHING("executors start"),
  /** Until every task's program has been started. */
  STARTING("programs are started"),
  /** Until the first progress report; only if the job reports progress. */
  WARMING_UP("programs warm up"),
  /**
   * Until the job's result is decided, by the exit of the last program that matters or by a request
   * to stop.
   */
  RUNNING("programs run"),
  /** Until no program or container of the job runs any more. */
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
