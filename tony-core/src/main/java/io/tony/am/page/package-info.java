/** The job's page while it runs, behind YARN's proxy. */
package io.tony.am.page;
