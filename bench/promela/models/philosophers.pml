/* Dining philosophers: all take the lower fork first, so that nobody starves the table. */
#define N 9
bit taken[N];

active [N] proctype philosopher() {
	byte first = _pid, second = _pid + 1;
	if
	:: second == N -> first = 0; second = N - 1
	:: else
	fi;
end:	do
	:: atomic { !taken[first] -> taken[first] = 1 };
	   atomic { !taken[second] -> taken[second] = 1 };
	   taken[second] = 0;
	   taken[first] = 0
	od
}
