/* Peterson's algorithm as in the chapter on temporal logic of the Handbook of Model Checking (Fig. 2). A process may stay out of it for ever.
   Mutual exclusion holds; whoever tries comes in only if everybody who can go on does: use --fairness weak.
   expect: holds 1 exclusion
   expect: fails access
   expect --fairness weak: holds 1 exclusion access
 */
bit t, x, y;

active proctype P1() {
  do
  :: true
  :: true -> l2: x = 1;
     t = 1;
l4:  (t == 0 || y == 0);
l5:  skip;  /* the critical section */
     x = 0
  od
}

active proctype P2() {
  do
  :: true
  :: true -> y = 1;
     t = 0;
     (t == 1 || x == 0);
m5:  skip;
     y = 0
  od
}

ltl exclusion { [] !(P1@l5 && P2@m5) }
ltl access    { [] (P1@l2 -> <> P1@l5) }
