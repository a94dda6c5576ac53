// Three processes elect a leader (after Itai and Rodeh 1990): in every round each tosses a coin, and a process that is alone with heads has won.
//   entail check examples/probabilistic/leader.pm --spec 'P>=1 [ F "elected" ]'               holds
//   entail check examples/probabilistic/leader.pm --spec 'R{"rounds"}=? [ F "elected" ]'      8/3
//   entail check examples/probabilistic/leader.pm --spec 'P=? [ F<=3 "elected" ]'             387/512, as bounds
dtmc

formula heads = (a ? 1 : 0) + (b ? 1 : 0) + (c ? 1 : 0);

module first
  a : bool;
  [toss] heads!=1 -> 0.5 : (a'=true) + 0.5 : (a'=false);
  [rest] heads=1 -> true;
endmodule

module second = first [ a=b, b=a ] endmodule
module third = first [ a=c, c=a ] endmodule

rewards "rounds"
  [toss] true : 1;
endrewards

label "elected" = heads=1;
