// A machine that wears out: it can be repaired in time, or run until it breaks. Which share of the time it works in the long run depends on the policy.
//   entail check examples/probabilistic/repair.ma --spec 'Smax=? [ "works" ]'    4/5: repaired when worn
//   entail check examples/probabilistic/repair.ma --spec 'Smin=? [ "works" ]'    3/5: run until it breaks
ma

module machine
  s : [0..4] init 0; // new, worn, in repair, running worn, broken

  <> s=0 -> 1 : (s'=1);
  [repair] s=1 -> (s'=2);
  [run]    s=1 -> (s'=3);
  <> s=2 -> 4 : (s'=0);
  <> s=3 -> 2 : (s'=4);
  <> s=4 -> 1 : (s'=0);
endmodule

label "works" = s=0 | s=3;
