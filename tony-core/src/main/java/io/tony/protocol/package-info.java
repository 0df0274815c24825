/** Floor 2: the two protocols of an ApplicationMaster, their wire format and their tokens. */
package io.tony.protocol;
