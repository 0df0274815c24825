package io.tony.am.page;

import io.tony.am.serve.HttpConversation;
import io.tony.am.serve.HttpRequest;
import io.tony.am.serve.Refusal;

/** Who may see the page of a job. Used by the page's thread alone. */
interface Viewers {
  /**
   * Whether the caller gets what he asks for. Where not, he has his answer.
   *
   * @throws Refusal for those who may not look
   */
  boolean admit(HttpRequest request, HttpConversation conversation);
}
