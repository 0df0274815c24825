package io.tony.am.page;

import io.tony.am.http.HttpExchange;
import io.tony.am.http.HttpRequest;
import io.tony.am.http.RequestRejectedException;
import org.jspecify.annotations.Nullable;

/** Decides who may see a job's page. Used only on the page's thread. */
interface Viewers {
  /**
   * Checks whether the caller may see the page. Returns the request's target relative to the page's
   * root; null if this method has answered the request.
   *
   * @throws RequestRejectedException if the caller may not see the page
   */
  @Nullable String admit(HttpRequest request, HttpExchange exchange);
}
