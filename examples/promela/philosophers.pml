/* Dining philosophers who all take their left fork first: they can starve together.
 * entail check examples/promela/philosophers.pml
 * expect: fails 1
 */
#define N 3
#define left  _pid
#define right ((_pid + 1) % N)

bool fork[N];

active [N] proctype philosopher()
{
	do
	:: atomic { !fork[left]  -> fork[left]  = true }
	   atomic { !fork[right] -> fork[right] = true }
	   printf("%d eats\n", _pid);
	   fork[right] = false;
	   fork[left]  = false
	od
}
