/** As whom a client acts, how it proves that, and the tokens that it takes for its job. */
package io.tony.client.login;
