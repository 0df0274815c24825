/**
 * An application that is there: the connection to its ApplicationMaster, its story for people and
 * for programs, and its end.
 */
package io.tony.client.follow;
