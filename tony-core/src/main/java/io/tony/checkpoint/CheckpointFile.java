package io.tony.checkpoint;

/**
 * One file of a checkpoint.
 *
 * @param path relative to the folder {@link Manifest#DATA}, with slashes
 * @param crc its CRC-32C
 */
public record CheckpointFile(String path, long bytes, int crc) {}
