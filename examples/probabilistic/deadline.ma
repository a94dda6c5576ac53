// A job can be done by a slow machine, or by a fast one that may have to be repaired first. With little time left only the fast one is of use;
// with much time the slow one is safer. So the best scheduler looks at the clock.
//   entail check examples/probabilistic/deadline.ma --precision 1e-4 --spec 'Pmax=? [ F<=1 done ]'       about 0.797
//   entail check examples/probabilistic/deadline.ma --precision 1e-4 --spec 'P>=0.7 [ F<=1 done ]'       holds for all schedulers
//   entail check examples/probabilistic/deadline.ma --spec 'Tmin=? [ F done ]'                           13/20
ma

formula done = s=4;

module m
  s : [0..4] init 0;

  <> s=0 -> 4 : (s'=1);
  [slow] s=1 -> (s'=2);
  [fast] s=1 -> 0.6 : (s'=4) + 0.4 : (s'=3);
  <> s=2 -> 2 : (s'=4);
  <> s=3 -> 1 : (s'=4);
  <> s=4 -> 1 : (s'=4);
endmodule
