/** The files that containers write: on their nodes, and where the nodes have handed them in. */
package io.tony.logs;
