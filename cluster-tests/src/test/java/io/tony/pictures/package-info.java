/** The pictures of the documentation: pages of example jobs in a browser. */
package io.tony.pictures;
