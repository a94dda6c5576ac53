// A message over two unreliable hops: hop one loses it with probability p, hop two with probability q; a lost message is sent again, at most twice.
// Neither loss is known exactly: does the bound hold wherever p and q lie in a region?
//   entail check examples/probabilistic/relay.pm --parametric p,q --spec 'P=? [ hop<3 U hop=2 ]'                       p*q - p - q + 1
//   entail check examples/probabilistic/relay.pm --region '0.01<=p<=0.1,0.05<=q<=0.2' --spec 'P<=0.05 [ F "fail" ]'     holds
//   entail check examples/probabilistic/relay.pm --region '0.01<=p<=0.5,0.05<=q<=0.2' --spec 'P<=0.05 [ F "fail" ]'     fails, at p=0.5, q=0.2 for one
//   entail check examples/probabilistic/relay.pm --region '0.1<=p<=0.5,0.2<=q<=0.2' --spec 'R{"sent"}<=3 [ F "done" ]'  holds, in several parts
//   entail check examples/probabilistic/relay.pm --region '0.01<=p<=0.99,0.05<=q<=0.95' --partition 0.1 --spec 'P<=0.2 [ F "fail" ]'  fails: in which parts it holds, and in which it does not
dtmc

const double p;
const double q;

module relay
  hop : [0..3];
  retries : [0..2];
  [send] hop=0 -> 1-p : (hop'=1) + p : (hop'=3);
  [send] hop=1 -> 1-q : (hop'=2) + q : (hop'=3);
  [again] hop=3 & retries<2 -> (hop'=0) & (retries'=retries+1);
endmodule

label "fail" = hop=3 & retries=2;
label "done" = hop=2 | (hop=3 & retries=2);

rewards "sent"
  [send] true : 1;
endrewards
