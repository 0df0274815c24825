/** Link from an executor to its ApplicationMaster, and to the successor after a failover. */
package io.tony.executor.link;
