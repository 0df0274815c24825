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
 * Lets several YARN daemons of one JVM serve web pages. Each daemon has a web server whose
 * GuiceFilter finds the daemon's pages through a static field, so all servers would show the pages
 * of the daemon that was started last: the ResourceManager's address would answer with a
 * NodeManager's pages, and a link to a log would lead to the wrong node. With this class, each
 * filter keeps the value that the field has when its own server starts, which is right after its
 * daemon has set the field.
 *
 * <p>Guice has no public API for this, so reflection is used. The class is public because Hadoop
 * constructs it by name.
 */
public final class DaemonPages extends FilterInitializer {

  /** Returns a value for hadoop.http.filter.initializers: the other initializers and this class. */
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
