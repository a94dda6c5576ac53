/* expect: holds 1
 * why: the same as lost_update.pml with reading and writing in one atomic sequence: nobody gets in between.
 */
byte count, done;

active [2] proctype worker()
{
	byte mine;
	atomic { mine = count; count = mine + 1 }
	done++
}

active proctype judge()
{
	done == 2 -> assert(count == 2)
}
