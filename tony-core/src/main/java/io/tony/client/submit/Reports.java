package io.tony.client.submit;

import java.nio.file.Path;

/** What whoever started this client wants besides its exit code; each path may be null. */
public record Reports(Path statusFile, Path outputFile, boolean machineLines, boolean verbose) {}
