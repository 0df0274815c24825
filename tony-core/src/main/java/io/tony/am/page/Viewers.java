package io.tony.am.page;

import io.tony.am.http.HttpExchange;
import io.tony.am.http.HttpRequest;
import io.tony.am.http.RequestRejectedException;

/** Who may see the page of a job. Used by the page's thread alone. */
interface Viewers {
  /**
   * What the caller asks for, as a path from the page's own root; null where he has his answer.
   *
   * @throws RequestRejectedException for those who may not look
   */
  String admit(HttpRequest request, HttpExchange exchange);
}
