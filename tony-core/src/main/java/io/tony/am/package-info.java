/**
 * Floor 5: the ApplicationMaster. {@link io.tony.am.AmLoop} owns the job's state and performs what
 * the machine decides, through small ports of ours; YARN, RPC and the file system are behind them.
 */
package io.tony.am;
