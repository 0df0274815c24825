package io.tony.timeline;

/**
 * What a job as a whole is doing, or waits for. The stages follow one another without a gap, so
 * that their durations add up to the whole; those from {@link #ALLOCATING} to {@link #RUNNING} come
 * again when the gang is started again, or when roles that waited for others are asked for.
 */
public enum Stage {
  /** Submitted; until YARN has launched the container of the ApplicationMaster. */
  QUEUED("YARN starts the master"),
  /** Until the ApplicationMaster's JVM starts: its files are brought to the node. */
  LOCALIZING("master's files arrive"),
  /** Until the ApplicationMaster is registered with YARN and asks for containers. */
  MASTER("master starts"),
  /** Until the last container is allocated. */
  ALLOCATING("waits for containers"),
  /** The gang gave back the containers that it had; until it asks again. */
  BACKING_OFF("backs off, to ask again"),
  /** Until the last executor has registered: the gang is complete. */
  LAUNCHING("executors start"),
  /** Until every program has been started. */
  STARTING("programs are started"),
  /** Until the first progress, where the job tells any. */
  WARMING_UP("programs warm up"),
  /** Until the job's end is decided, by the last exit that counts or by somebody. */
  RUNNING("programs run"),
  /** Until nothing of the job runs any more. */
  STOPPING("what still runs is stopped"),
  /** Until YARN shows the application as ended. */
  REPORTING("reported to YARN");

  private final String label;

  Stage(String label) {
    this.label = label;
  }

  /** In a few words. */
  public String label() {
    return label;
  }
}
