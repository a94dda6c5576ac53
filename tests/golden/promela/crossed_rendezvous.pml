/* expect: fails 1
 * why: both offer a handshake first, and nobody is there to take it: an invalid end state after no step at all.
 */
chan left = [0] of { bit };
chan right = [0] of { bit };

active proctype a() { left!1; right?1 }
active proctype b() { right!1; left?1 }
