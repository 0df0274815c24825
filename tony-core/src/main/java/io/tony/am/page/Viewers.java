package io.tony.am.page;

import io.tony.am.http.HttpExchange;
import io.tony.am.http.HttpRequest;
import io.tony.am.http.RequestRejectedException;

/** Access control of a job's page. Used only by the page's thread. */
interface Viewers {
  /**
   * Checks a request and returns its target relative to the page's root; null if the request has
   * been answered here.
   *
   * @throws RequestRejectedException if the caller may not see the page
   */
  String admit(HttpRequest request, HttpExchange exchange);
}
