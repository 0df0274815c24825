package io.tony.executor.rpc;

import io.tony.model.TaskUsage;
import org.jspecify.annotations.Nullable;

/**
 * Resource usage of a task at one moment.
 *
 * @param memoryMiB current resident memory of the program's processes
 * @param peakMiB maximum of {@code memoryMiB} since the program's start
 * @param executorMiB current resident memory of the executor itself
 * @param cores average number of busy CPU cores since the previous sample
 * @param spanMs time since the previous sample, in milliseconds
 * @param gpus null if the task has no GPUs or their usage is unknown
 */
public record UsageSample(
    long memoryMiB,
    long peakMiB,
    long executorMiB,
    double cores,
    long spanMs,
    TaskUsage.@Nullable GpuUsage gpus) {}
