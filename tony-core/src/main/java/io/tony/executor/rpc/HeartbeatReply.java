package io.tony.executor.rpc;

/** What a heartbeat was answered with. */
public final class HeartbeatReply {
  public static final HeartbeatReply NONE = new HeartbeatReply(0, 0, 0, null);

  private final long eventCount;
  private final int masterNumber;
  private final long tokensVersion;
  private final byte[] tokens;

  HeartbeatReply(long eventCount, int masterNumber, long tokensVersion, byte[] tokens) {
    this.eventCount = eventCount;
    this.masterNumber = masterNumber;
    this.tokensVersion = tokensVersion;
    this.tokens = tokens;
  }

  /** How many events of the job were in its log. */
  long eventCount() {
    return eventCount;
  }

  /** Which ApplicationMaster of the job, from 1, said so; 0 where none did. */
  public int masterNumber() {
    return masterNumber;
  }

  /** Of {@link #tokens}. */
  public long tokensVersion() {
    return tokensVersion;
  }

  /** Newer ones than the executor has, in Hadoop's format of a token file; null for none. */
  public byte[] tokens() {
    return tokens;
  }
}
