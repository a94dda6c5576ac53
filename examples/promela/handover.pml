/* A sender, a medium that may lose what it carries, and a receiver that checks what arrives.
 * entail simulate examples/promela/handover.pml --steps 40
 * expect: fails 1
 */
mtype = { data, stop };
chan line = [2] of { mtype, byte };
chan ready = [0] of { byte };

active proctype sender()
{
	byte item;
	ready?item;
	do
	:: item < 3 -> line!data,item; printf("sent %d\n", item); item++
	:: item < 3 -> printf("lost %d\n", item); item++
	:: item == 3 -> line!stop,0; break
	od
}

active proctype receiver()
{
	byte expected, got;
	ready!0;
	do
	:: line?data,got ->
	   printf("got %d\n", got);
	   assert(got == expected);
	   expected++
	:: line?stop,_ -> printf("%e\n", stop); break
	od
}
