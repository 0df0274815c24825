/** The link from an executor to its ApplicationMaster, and to its successor after a failover. */
package io.tony.executor.link;
