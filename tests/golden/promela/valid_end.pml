/* expect: holds 1
 * why: the server waits for ever once the client is done, at a label that begins with `end`: that is no invalid end state.
 */
chan request = [1] of { byte };

active proctype server()
{
	byte what;
end:	do
	:: request?what
	od
}

active proctype client() { request!1; request!2 }
