/** Link from an executor to its ApplicationMaster and, after a failover, to the successor. */
package io.tony.executor.link;
