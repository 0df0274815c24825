package io.tony.executor.link;

import io.tony.executor.bridge.HadoopCalls;
import io.tony.executor.token.ProgramTokens;
import io.tony.model.Endpoint;
import java.io.IOException;
import java.net.InetSocketAddress;

/**
 * File in the cluster's file system in which each ApplicationMaster of a job writes its address.
 * Read only after the connection to an ApplicationMaster is lost.
 */
public final class MasterFile {
  private static final String READER = "io.tony.executor.hadoop.AddressReader";

  private final String uri;
  private final HadoopCalls hadoop;
  private final ProgramTokens tokens;

  /**
   * Creates an instance without reading the file.
   *
   * @param tokens give access to the file system
   */
  public MasterFile(String uri, HadoopCalls hadoop, ProgramTokens tokens) {
    this.uri = uri;
    this.hadoop = hadoop;
    this.tokens = tokens;
  }

  InetSocketAddress read() throws IOException, InterruptedException {
    try {
      Endpoint endpoint =
          Endpoint.parse((String) hadoop.call(READER, "read", uri, tokens.toBytes()));
      return new InetSocketAddress(endpoint.host(), endpoint.port());
    } catch (IOException e) {
      throw new IOException(uri + " cannot be read: " + e, e);
    }
  }
}
