/** An executor's settings, read from environment variables, and its log. */
package io.tony.executor.settings;
