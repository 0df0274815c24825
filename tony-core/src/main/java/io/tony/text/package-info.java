/** Operations on strings that any package may need: truncation that keeps characters whole. */
package io.tony.text;
