package io.tony.history.web;

import io.tony.container.ViewRule;
import io.tony.history.JobSummary;
import java.util.function.Predicate;
import javax.servlet.http.HttpServletRequest;

/**
 * Decides which jobs a visitor of the web pages may see. Hadoop's filter identifies the visitor
 * ({@code hadoop.http.filter.initializers}).
 */
record JobVisibility(ViewRule rule) {
  boolean maySeeAll(HttpServletRequest request) {
    return rule.viewer(request.getRemoteUser()).seesAll();
  }

  Predicate<JobSummary> mayBeSeenBy(HttpServletRequest request) {
    ViewRule.Viewer viewer = rule.viewer(request.getRemoteUser());
    return job -> viewer.sees(job.user(), job.viewers());
  }
}
