/** What is known to be wrong before anything is submitted: with a job, or with a whole project. */
package io.tony.client.check;
