package io.tony.checkpoint;

/**
 * One file of a checkpoint.
 *
 * @param path path relative to the folder {@link Manifest#DATA}, with {@code /} as separator
 * @param bytes size of the file in bytes
 * @param crc CRC-32C of the file's content
 */
public record CheckpointFile(String path, long bytes, int crc) {}
