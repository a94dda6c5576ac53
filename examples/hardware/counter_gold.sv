// A counter of two bits: one side of counters.eqy. Needs yosys.
//
//   entail equiv examples/hardware/counter_gold.sv examples/hardware/counter_gate.sv
//
// What to expect: it is never 4, having two bits.
//
// expect: holds counter.small
module counter (
    input            clk,
    input            step,
    output reg [1:0] count
);
  initial count = 0;
  always @(posedge clk) if (step) count <= count + 2'd1;
  small : assert property (@(posedge clk) {1'b0, count} < 3'd4);
endmodule
