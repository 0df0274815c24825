package io.tony.mini;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.LocalConfigurationProvider;
import org.apache.hadoop.yarn.exceptions.YarnException;

/**
 * Lets a ResourceManager that becomes active go on with its settings. It reads the files of its
 * configuration again then, and here there are none: the settings were handed to it. Public because
 * Hadoop constructs it by its name.
 */
public final class InMemoryConfigurationProvider extends LocalConfigurationProvider {

  private Configuration configuration;

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
    configuration.writeXml(xml);
    return new ByteArrayInputStream(xml.toByteArray());
  }
}
