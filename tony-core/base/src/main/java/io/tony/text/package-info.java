/** Operations on strings that any package may use. */
package io.tony.text;
