// A counter of two bits, bit by bit: one side of counters.eqy. Needs yosys.
//
//   entail check examples/hardware/counter_gate.sv
//
// What to expect: the high bit changes only when the low one is set.
//
// expect: holds counter.carries
module counter (
    input        clk,
    input        step,
    output [1:0] count
);
  reg low, high;
  initial {high, low} = 2'b00;
  always @(posedge clk) begin
    low  <= low ^ step;
    high <= high ^ (low & step);
  end
  assign count = {high, low};
  carries : assert property (@(posedge clk) !low |=> $stable(high));
endmodule
