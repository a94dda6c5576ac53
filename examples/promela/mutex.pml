/* Peterson's algorithm for two processes (Peterson, 1981).
 * entail check examples/promela/mutex.pml
 * expect: holds 1 exclusion
 */
bool flag[2];
bool turn;
byte in_critical;

active [2] proctype user()
{
	do
	:: flag[_pid] = 1;
	   turn = _pid;
	   (flag[1 - _pid] == 0 || turn == 1 - _pid);
	   in_critical++;
	   assert(in_critical == 1);
	   in_critical--;
	   flag[_pid] = 0
	od
}

ltl exclusion { [] (in_critical <= 1) }
