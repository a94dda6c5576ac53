/* expect: fails 1
 * why: `unless` gives the escape priority: once the flag is up, the loop is left at the next step, so the assertion behind it is reached.
 */
bool flag;
byte turns;

active proctype loop()
{
	{ do :: turns = (turns + 1) % 3 od } unless { flag };
	assert(false)
}

active proctype raiser() { flag = true }
