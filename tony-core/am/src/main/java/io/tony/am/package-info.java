/**
 * The main class of the ApplicationMaster, which creates the parts of the ApplicationMaster, and
 * the start and end of the process. The parts are in the packages below. Floor 5 of the
 * architecture.
 */
package io.tony.am;
