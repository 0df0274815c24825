package azkaban.spi;

/**
 * What Azkaban's loaders of flows throw. It is declared here because Maven Central has
 * azkaban-common, which cannot be linked without it, but not azkaban-spi, where it lives.
 */
public class AzkabanException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public AzkabanException(String message) {
    super(message);
  }

  public AzkabanException(String message, Throwable cause) {
    super(message, cause);
  }

  public AzkabanException(Throwable cause) {
    super(cause);
  }
}
