/** Floor 2: a timeline as text, as a picture, and for programs. */
package io.tony.timeline.draw;
