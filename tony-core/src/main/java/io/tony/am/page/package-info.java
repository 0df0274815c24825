/** The job's page while the job runs, behind YARN's proxy. */
package io.tony.am.page;
