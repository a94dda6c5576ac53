/* expect: fails 1
 * why: both read the counter before either writes it back, so one increment is lost and the assertion fails.
 */
byte count, done;

active [2] proctype worker()
{
	byte mine;
	mine = count;
	count = mine + 1;
	done++
}

active proctype judge()
{
	done == 2 -> assert(count == 2)
}
