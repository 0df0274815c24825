/** Floor 5: where the processes of one gang meet before they know each other. */
package io.tony.am.rendezvous;
