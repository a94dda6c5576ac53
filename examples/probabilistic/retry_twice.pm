// The channel of retry.pm by two senders in turn: it has more states, and nobody can tell. See retry.pm.
//   entail check examples/probabilistic/retry_twice.pm --spec 'R{"sent"}=? [ F "there" ]'     4/3
dtmc

module channel
  s : [0..2] init 0;
  sender : [1..2] init 1;

  [] s=0 -> (s'=1);
  [] s=1 -> 1/4 : (s'=0) & (sender'=3-sender) + 3/4 : (s'=2);
  [] s=2 -> (s'=2);
endmodule

label "there" = s=2;

rewards "sent"
  s=1 : 1;
endrewards
