package io.tony.protocol;

import java.util.Set;

/** Names of token kinds in credentials, and the alias of the application's secret key. */
public final class TokenKinds {
  /** Kind of the tokens that authenticate callers of TonY's ApplicationMaster. */
  public static final String JOB = "TONY_JOB_TOKEN";

  /** Kind of the tokens that authenticate clients of the ResourceManager. */
  public static final String RM = "RM_DELEGATION_TOKEN";

  /** Kinds that programs must not have: tokens for YARN and for the ApplicationMaster. */
  public static final Set<String> NOT_FOR_PROGRAMS =
      Set.of(JOB, "YARN_AM_RM_TOKEN", RM, "TIMELINE_DELEGATION_TOKEN");

  /**
   * Alias of the application's secret key ({@link JobKey}) in credentials. Programs never get this
   * key.
   */
  public static final String JOB_KEY = "tony.job.key";

  private TokenKinds() {}
}
