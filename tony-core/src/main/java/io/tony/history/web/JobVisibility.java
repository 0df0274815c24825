package io.tony.history.web;

import io.tony.container.ViewRule;
import io.tony.history.JobSummary;
import java.util.function.Predicate;
import javax.servlet.http.HttpServletRequest;

/**
 * Which jobs somebody may see. Who it is, Hadoop's filter for web pages says ({@code
 * hadoop.http.filter.initializers}).
 */
record JobVisibility(ViewRule rule) {
  /** Whether no job is kept from somebody. */
  boolean maySeeAll(HttpServletRequest request) {
    return rule.viewer(request.getRemoteUser()).seesAll();
  }

  Predicate<JobSummary> mayBeSeenBy(HttpServletRequest request) {
    ViewRule.Viewer viewer = rule.viewer(request.getRemoteUser());
    return job -> viewer.sees(job.user(), job.viewers());
  }
}
