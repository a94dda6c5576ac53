/* expect: holds 1
 * expect: fails 2
 * why: the claim accepts runs on which x is 1 from some time on; setting x once and stopping is such a run, since the last state repeats.
 */
bit x;

active proctype writer() { x = 1; x = 0; x = 1 }

never {
wait:	do
	:: true
	:: x == 1 -> goto stays
	od;
accept:
stays:	do
	:: x == 1
	od
}
