/* expect: holds 1
 * expect: fails 2
 * why: the left branch passes the progress label, the right one does not and can be taken for ever.
 */
byte n;

active proctype p()
{
	do
	:: progress: n = 0
	:: n = 1
	od
}
