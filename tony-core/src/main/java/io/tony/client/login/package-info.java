/**
 * Authentication: the user as whom a client acts, the client's login, and the tokens of its job.
 */
package io.tony.client.login;
