package io.tony.am.rpc;

import io.tony.protocol.DelegatedTokens;
import io.tony.protocol.proto.TonyProtos.Tokens;
import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.UserGroupInformation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tokens that a client has brought for a job that outlives those it was submitted with: this
 * process acts with them, and executors are given them. Thread-safe.
 */
public final class TokenUpdates {
  private static final Logger LOG = LoggerFactory.getLogger(TokenUpdates.class);

  private final UserGroupInformation processUser;
  private Tokens latest;

  /**
   * None yet.
   *
   * @param processUser as whom this process acts
   */
  public TokenUpdates(UserGroupInformation processUser) {
    this.processUser = processUser;
  }

  /** They take the place of those of the same services; older ones than the last have no effect. */
  synchronized void accept(Tokens tokens) throws IOException {
    if (latest == null || tokens.getVersion() > latest.getVersion()) {
      Credentials credentials = DelegatedTokens.read(tokens);
      processUser.addCredentials(credentials);
      latest = tokens;
      LOG.info("A client has brought {} newer tokens", credentials.numberOfTokens());
    }
  }

  /** The newest, where an executor has older ones: of this version, or 0 for its first ones. */
  synchronized Optional<Tokens> newerThan(long version) {
    return Optional.ofNullable(latest).filter(tokens -> tokens.getVersion() > version);
  }
}
