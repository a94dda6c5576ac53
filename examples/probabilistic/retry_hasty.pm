// The channel of retry.pm, which is worse after the first loss. See retry.pm.
//   entail check examples/probabilistic/retry_hasty.pm --spec 'R{"sent"}=? [ F "there" ]'     11/8
dtmc

module channel
  s : [0..2] init 0;
  lost : bool init false;

  [] s=0 -> (s'=1);
  [] s=1 & !lost -> 1/4 : (s'=0) & (lost'=true) + 3/4 : (s'=2);
  [] s=1 & lost -> 1/3 : (s'=0) + 2/3 : (s'=2);
  [] s=2 -> (s'=2);
endmodule

label "there" = s=2;

rewards "sent"
  s=1 : 1;
endrewards
