package io.tony.executor.rpc;

/** The ApplicationMaster's reply to a heartbeat. */
public final class HeartbeatReply {
  public static final HeartbeatReply NONE = new HeartbeatReply(0, 0, 0, null);

  private final long eventCount;
  private final int masterAttempt;
  private final long tokensVersion;
  private final byte[] tokens;

  HeartbeatReply(long eventCount, int masterNumber, long tokensVersion, byte[] tokens) {
    this.eventCount = eventCount;
    this.masterAttempt = masterNumber;
    this.tokensVersion = tokensVersion;
    this.tokens = tokens;
  }

  /** Returns the number of events in the job's event log at the time of the reply. */
  long eventCount() {
    return eventCount;
  }

  /**
   * Returns the number, from 1, of the job's ApplicationMaster that replied; 0 if none has replied.
   */
  public int masterAttempt() {
    return masterAttempt;
  }

  /** Returns the version of {@link #tokens}. */
  public long tokensVersion() {
    return tokensVersion;
  }

  /**
   * Returns tokens newer than the executor's, in the format of Hadoop's token file; null if there
   * are none.
   */
  public byte[] tokens() {
    return tokens;
  }
}
