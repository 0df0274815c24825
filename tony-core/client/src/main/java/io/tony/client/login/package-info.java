/**
 * Authentication: chooses the user as whom a client acts, logs in, and obtains the tokens of jobs.
 */
package io.tony.client.login;
