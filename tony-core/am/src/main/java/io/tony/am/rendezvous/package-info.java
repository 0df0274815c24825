/** Floor 5: stores through which the programs of a gang find each other (rendezvous). */
package io.tony.am.rendezvous;
