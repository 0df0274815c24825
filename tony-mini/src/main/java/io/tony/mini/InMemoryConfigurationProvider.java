package io.tony.mini;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.LocalConfigurationProvider;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.jspecify.annotations.Nullable;

/**
 * Gives a ResourceManager its in-memory configuration in place of its configuration files. A
 * ResourceManager that becomes active reloads these files, and they do not exist in this cluster.
 * Public because Hadoop constructs it by name.
 */
public final class InMemoryConfigurationProvider extends LocalConfigurationProvider {

  private @Nullable Configuration configuration; // null before initInternal

  @Override
  public void initInternal(Configuration conf) throws Exception {
    super.initInternal(conf);
    configuration = conf;
  }

  @Override
  public InputStream getConfigurationInputStream(Configuration conf, String name)
      throws IOException, YarnException {
    if (!name.endsWith(".xml")) {
      return super.getConfigurationInputStream(conf, name);
    }
    ByteArrayOutputStream xml = new ByteArrayOutputStream();
    Objects.requireNonNull(configuration).writeXml(xml);
    return new ByteArrayInputStream(xml.toByteArray());
  }
}
