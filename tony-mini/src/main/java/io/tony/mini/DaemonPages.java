package io.tony.mini;

import com.google.inject.servlet.GuiceFilter;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import javax.servlet.Filter;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.http.FilterContainer;
import org.apache.hadoop.http.FilterInitializer;
import org.apache.hadoop.http.HttpServer2;
import org.eclipse.jetty.servlet.FilterHolder;

/**
 * Lets several daemons of YARN in one JVM serve their own web pages. The GuiceFilter in a daemon's
 * web server finds the pages through a static field, so all servers would show the pages of the
 * daemon that was started last. For example, the ResourceManager's address would show a
 * NodeManager's pages, and a link to a log would lead to the wrong node. With this class, each
 * filter keeps the field's value from the start of its own server; the daemon sets the field
 * immediately before.
 *
 * <p>Guice has no public API for this, so the class uses reflection. It is public because Hadoop
 * constructs it by name.
 */
public final class DaemonPages extends FilterInitializer {

  /** Returns the value of hadoop.http.filter.initializers with this class and the given ones. */
  static String with(String... others) {
    return String.join(",", others) + "," + DaemonPages.class.getName();
  }

  @Override
  public void initFilter(FilterContainer container, Configuration conf) {
    FilterHolder.WrapFunction keepOwnPages = DaemonPages::boundToItsDaemon;
    ((HttpServer2) container).getWebAppContext().addBean(keepOwnPages);
  }

  private static Filter boundToItsDaemon(Filter filter) {
    if (!(filter instanceof GuiceFilter)) {
      return filter;
    }
    try {
      Field pages = GuiceFilter.class.getDeclaredField("pipeline");
      pages.setAccessible(true);
      Constructor<GuiceFilter> bound = GuiceFilter.class.getDeclaredConstructor(pages.getType());
      bound.setAccessible(true);
      return bound.newInstance(pages.get(null));
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(
          "This version of guice-servlet is unknown to tony-mini; its GuiceFilter has changed", e);
    }
  }
}
