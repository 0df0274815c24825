/** What an executor is started with: its settings, read from environment variables, and its log. */
package io.tony.executor.settings;
