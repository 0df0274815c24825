package io.tony.protocol;

import java.util.Set;

/** Kinds of tokens. */
public final class TokenKinds {
  /** With which one calls an ApplicationMaster of ours. */
  public static final String JOB = "TONY_JOB_TOKEN";

  /** With which a client acts at the ResourceManager. */
  public static final String RM = "RM_DELEGATION_TOKEN";

  /** With which somebody acts in YARN or at an ApplicationMaster. */
  public static final Set<String> NOT_FOR_PROGRAMS =
      Set.of(JOB, "YARN_AM_RM_TOKEN", RM, "TIMELINE_DELEGATION_TOKEN");

  /** The name of a job's own secret key in credentials. Programs never have this key. */
  public static final String JOB_KEY = "tony.job.key";

  private TokenKinds() {}
}
