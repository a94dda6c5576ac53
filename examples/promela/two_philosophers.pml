/* Two dining philosophers without loops, after Godefroid's and Sen's chapter of the Handbook of Model Checking (Figs. 2 and 3): fork i is a
   semaphore. 17 states, 18 steps, two ends: both have eaten, or each holds one fork. Leaving blocks for ever, so both ends are invalid here.
   expect: fails 1
 */
byte fork[2] = 1;

inline wait(i)   { atomic { fork[i] > 0 -> fork[i]-- } }
inline signal(i) { fork[i]++ }

active [2] proctype philosopher() {
  wait(_pid);
  wait((_pid + 1) % 2);
  signal(_pid);
  signal((_pid + 1) % 2);
  false
}
