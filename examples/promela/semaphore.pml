/* Two processes and a semaphore as in the chapter on temporal logic of the Handbook of Model Checking (Fig. 3). Mutual exclusion holds;
   weak fairness is not enough for access, since the semaphore is free only now and then.
   expect: holds 1 exclusion
   expect: fails access
   expect --fairness weak: holds 1 exclusion
   expect --fairness weak: fails access
 */
bit x = 1;

active proctype P1() {
  do
  :: true
  :: true -> l2: atomic { x == 1 -> x = 0 }
l3:  skip;  /* the critical section */
     x = 1
  od
}

active proctype P2() {
  do
  :: true
  :: true -> atomic { x == 1 -> x = 0 }
m3:  skip;
     x = 1
  od
}

ltl exclusion { [] !(P1@l3 && P2@m3) }
ltl access    { [] (P1@l2 -> <> P1@l3) }
