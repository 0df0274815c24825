/** The job's web page while the job runs; for a job on YARN, behind YARN's proxy. */
package io.tony.am.page;
