package io.tony.history.web;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import javax.servlet.Filter;
import javax.servlet.FilterChain;
import javax.servlet.FilterConfig;
import javax.servlet.ServletException;
import javax.servlet.ServletRequest;
import javax.servlet.ServletResponse;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletRequestWrapper;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.http.FilterContainer;
import org.apache.hadoop.http.FilterInitializer;

/** Whoever visits is whom the request's header {@code Visitor} names: in place of Kerberos. */
public final class NamedVisitors extends FilterInitializer {
  private static final AtomicInteger LISTS = new AtomicInteger();

  /** How often lists of jobs were asked for so far, of all servers of this JVM. */
  static int askedForLists() {
    return LISTS.get();
  }

  @Override
  public void initFilter(FilterContainer container, Configuration conf) {
    container.addFilter("visitors", Named.class.getName(), Map.of());
  }

  /** Made by the web server, by its name. */
  public static final class Named implements Filter {
    @Override
    public void init(FilterConfig config) {
      // It needs nothing.
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain next)
        throws IOException, ServletException {
      String name = ((HttpServletRequest) request).getHeader("Visitor");
      if (((HttpServletRequest) request).getRequestURI().equals("/jobs.json")) {
        LISTS.incrementAndGet();
      }
      next.doFilter(
          new HttpServletRequestWrapper((HttpServletRequest) request) {
            @Override
            public String getRemoteUser() {
              return name;
            }
          },
          response);
    }

    @Override
    public void destroy() {
      // It holds nothing.
    }
  }
}
