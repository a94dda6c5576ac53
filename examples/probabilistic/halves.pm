// Two parties toss twelve coins each, one after the other. Do both see the same?
// The model has 2^25 - 1 states, but a decision diagram of a few hundred nodes; only the states in which it is not decided yet are solved one by one.
//   entail check examples/probabilistic/halves.pm --engine symbolic --spec 'P=? [ F "same" ]'           1/4096
//   entail check examples/probabilistic/halves.pm --engine symbolic --spec 'P>=1 [ F "tossed" ]'        holds
dtmc

module tosses
  t : [0..24] init 0;
  a1 : bool init false; a2 : bool init false; a3 : bool init false; a4 : bool init false; a5 : bool init false; a6 : bool init false; a7 : bool init false; a8 : bool init false; a9 : bool init false; a10 : bool init false; a11 : bool init false; a12 : bool init false;
  b1 : bool init false; b2 : bool init false; b3 : bool init false; b4 : bool init false; b5 : bool init false; b6 : bool init false; b7 : bool init false; b8 : bool init false; b9 : bool init false; b10 : bool init false; b11 : bool init false; b12 : bool init false;

  [] t=0 -> 0.5 : (t'=1) & (a1'=true) + 0.5 : (t'=1);
  [] t=1 -> 0.5 : (t'=2) & (a2'=true) + 0.5 : (t'=2);
  [] t=2 -> 0.5 : (t'=3) & (a3'=true) + 0.5 : (t'=3);
  [] t=3 -> 0.5 : (t'=4) & (a4'=true) + 0.5 : (t'=4);
  [] t=4 -> 0.5 : (t'=5) & (a5'=true) + 0.5 : (t'=5);
  [] t=5 -> 0.5 : (t'=6) & (a6'=true) + 0.5 : (t'=6);
  [] t=6 -> 0.5 : (t'=7) & (a7'=true) + 0.5 : (t'=7);
  [] t=7 -> 0.5 : (t'=8) & (a8'=true) + 0.5 : (t'=8);
  [] t=8 -> 0.5 : (t'=9) & (a9'=true) + 0.5 : (t'=9);
  [] t=9 -> 0.5 : (t'=10) & (a10'=true) + 0.5 : (t'=10);
  [] t=10 -> 0.5 : (t'=11) & (a11'=true) + 0.5 : (t'=11);
  [] t=11 -> 0.5 : (t'=12) & (a12'=true) + 0.5 : (t'=12);
  [] t=12 -> 0.5 : (t'=13) & (b1'=true) + 0.5 : (t'=13);
  [] t=13 -> 0.5 : (t'=14) & (b2'=true) + 0.5 : (t'=14);
  [] t=14 -> 0.5 : (t'=15) & (b3'=true) + 0.5 : (t'=15);
  [] t=15 -> 0.5 : (t'=16) & (b4'=true) + 0.5 : (t'=16);
  [] t=16 -> 0.5 : (t'=17) & (b5'=true) + 0.5 : (t'=17);
  [] t=17 -> 0.5 : (t'=18) & (b6'=true) + 0.5 : (t'=18);
  [] t=18 -> 0.5 : (t'=19) & (b7'=true) + 0.5 : (t'=19);
  [] t=19 -> 0.5 : (t'=20) & (b8'=true) + 0.5 : (t'=20);
  [] t=20 -> 0.5 : (t'=21) & (b9'=true) + 0.5 : (t'=21);
  [] t=21 -> 0.5 : (t'=22) & (b10'=true) + 0.5 : (t'=22);
  [] t=22 -> 0.5 : (t'=23) & (b11'=true) + 0.5 : (t'=23);
  [] t=23 -> 0.5 : (t'=24) & (b12'=true) + 0.5 : (t'=24);
endmodule

label "tossed" = t=24;
label "same" = t=24 & a1=b1 & a2=b2 & a3=b3 & a4=b4 & a5=b5 & a6=b6 & a7=b7 & a8=b8 & a9=b9 & a10=b10 & a11=b11 & a12=b12;
