package io.tony.executor.rpc;

import org.jspecify.annotations.Nullable;

/** The ApplicationMaster's reply to a heartbeat. */
public final class HeartbeatReply {
  public static final HeartbeatReply NONE = new HeartbeatReply(0, 0, 0, null);

  private final long eventCount;
  private final int masterAttempt;
  private final long tokensVersion;
  private final byte @Nullable [] tokens;

  HeartbeatReply(long eventCount, int masterAttempt, long tokensVersion, byte @Nullable [] tokens) {
    this.eventCount = eventCount;
    this.masterAttempt = masterAttempt;
    this.tokensVersion = tokensVersion;
    this.tokens = tokens;
  }

  /** Returns the number of events in the job's event log when the ApplicationMaster replied. */
  long eventCount() {
    return eventCount;
  }

  /**
   * Returns the attempt number, from 1, of the ApplicationMaster that replied; 0 in {@link #NONE}.
   */
  public int masterAttempt() {
    return masterAttempt;
  }

  /** Returns the version of {@link #tokens}; 0 if there are none. */
  public long tokensVersion() {
    return tokensVersion;
  }

  /**
   * Returns delegation tokens for the program that are newer than those that the executor has, in
   * the format of Hadoop's token file; null if there are none.
   */
  public byte @Nullable [] tokens() {
    return tokens;
  }
}
