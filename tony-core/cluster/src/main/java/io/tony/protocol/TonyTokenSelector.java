package io.tony.protocol;

import java.util.Collection;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.security.token.TokenIdentifier;
import org.apache.hadoop.security.token.TokenSelector;
import org.jspecify.annotations.Nullable;

/**
 * Selects the token for the ApplicationMaster's address that Hadoop's RPC client is about to call.
 */
public final class TonyTokenSelector implements TokenSelector<TonyToken> {
  @Override
  public @Nullable Token<TonyToken> selectToken(
      @Nullable Text service, Collection<Token<? extends TokenIdentifier>> tokens) {
    return service == null ? null : TonyToken.find(service, tokens);
  }
}
