/* expect: fails reached
 * expect: holds 1
 * expect --fairness weak: holds reached 1
 * why: without fairness the spinner may run for ever and the setter never; weak fairness lets the setter move, since it always can.
 */
bool set;
byte spins;

active proctype spinner() { do :: spins = 1 - spins od }
active proctype setter() { set = true }

ltl reached { <> set }
