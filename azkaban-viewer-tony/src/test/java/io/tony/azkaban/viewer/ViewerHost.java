package io.tony.azkaban.viewer;

import azkaban.user.User;
import azkaban.user.UserManager;
import azkaban.utils.Props;
import azkaban.webapp.AzkabanServer;
import azkaban.webapp.AzkabanWebServer;
import azkaban.webapp.session.Session;
import azkaban.webapp.session.SessionCache;
import java.lang.reflect.Method;
import java.net.URI;
import java.nio.file.Path;
import javax.servlet.http.HttpServlet;
import org.apache.velocity.app.VelocityEngine;
import org.mortbay.jetty.Server;
import org.mortbay.jetty.bio.SocketConnector;
import org.mortbay.jetty.servlet.Context;
import org.mortbay.jetty.servlet.ServletHolder;

/**
 * The Jetty of Azkaban 2.5.0 with what its own loader of viewers makes of a folder; Azkaban's
 * database, its users and its other pages are not there.
 */
final class ViewerHost {

  private final Server server = new Server();
  private final SocketConnector connector = new SocketConnector();
  private final Context context;
  private final SessionCache sessions = new SessionCache(new Props());

  /**
   * @param contextPath {@code ""} for the root
   * @param viewers what Azkaban calls plugins/viewer
   */
  ViewerHost(String contextPath, Path viewers) throws Exception {
    connector.setHost("localhost");
    server.addConnector(connector);
    context = new Context(server, contextPath.isEmpty() ? "/" : contextPath, Context.SESSIONS);
    context.setAttribute("azkaban_app", new Application(sessions));
    Method load =
        AzkabanWebServer.class.getDeclaredMethod(
            "loadViewerPlugins", Context.class, String.class, VelocityEngine.class);
    load.setAccessible(true);
    load.invoke(null, context, viewers.toString(), new VelocityEngine());
  }

  void serve(String path, HttpServlet servlet) {
    context.addServlet(new ServletHolder(servlet), path);
  }

  /** Without a slash at its end. */
  URI start() throws Exception {
    server.start();
    String path = context.getContextPath().equals("/") ? "" : context.getContextPath();
    return URI.create("http://localhost:" + connector.getLocalPort() + path);
  }

  /** Returns the id of a session, as Azkaban keeps it in a cookie. */
  String login(String user) {
    String id = "session-of-" + user.hashCode();
    sessions.addSession(new Session(id, new User(user), "127.0.0.1"));
    return id;
  }

  void stop() throws Exception {
    server.stop();
  }

  /** What {@code AbstractAzkabanServlet} looks for in its context. */
  public static final class Application extends AzkabanServer {
    private final SessionCache sessions;

    Application(SessionCache sessions) {
      this.sessions = sessions;
    }

    @Override
    public Props getServerProps() {
      return new Props();
    }

    @Override
    public SessionCache getSessionCache() {
      return sessions;
    }

    @Override
    public VelocityEngine getVelocityEngine() {
      throw new UnsupportedOperationException("the viewer has no template");
    }

    @Override
    public UserManager getUserManager() {
      throw new UnsupportedOperationException("nobody logs in here");
    }
  }
}
