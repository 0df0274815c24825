/** Floor 2: draws a timeline as text, as an SVG picture and as JSON. */
package io.tony.timeline.draw;
