// A message that is lost with probability 1/4 and sent again. retry_twice.pm behaves alike, retry_hasty.pm does not:
//   entail compare examples/probabilistic/retry.pm examples/probabilistic/retry_twice.pm      related
//   entail compare examples/probabilistic/retry.pm examples/probabilistic/retry_hasty.pm      a formula that holds in one of them only
//   entail check examples/probabilistic/retry.pm --spec 'R{"sent"}=? [ F "there" ]'           4/3
dtmc

module channel
  s : [0..2] init 0;

  [] s=0 -> (s'=1);
  [] s=1 -> 1/4 : (s'=0) + 3/4 : (s'=2);
  [] s=2 -> (s'=2);
endmodule

label "there" = s=2;

rewards "sent"
  s=1 : 1;
endrewards
