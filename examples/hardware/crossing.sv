// Data on its way from one clock to another, followed by a local variable. Needs yosys.
//
//   entail check examples/hardware/crossing.sv --top crossing
//
// What to expect: what is sent at a tick of the one clock is there at the next tick of the other one but one; a tick earlier it need not be.
//
// expect --top crossing: holds crossing.arrives
// expect --top crossing: fails crossing.arrives_at_once
module crossing (
    input            clk_in,
    input            clk_out,
    input            send,
    input      [1:0] data,
    output reg [1:0] out
);
  // A word is sent and stays until it has been taken.
  reg [1:0] held;
  reg       toggle = 0, seen = 0;
  wire      busy = toggle != seen;
  always @(posedge clk_in)
    if (send && !busy) begin
      held   <= data;
      toggle <= !toggle;
    end
  always @(posedge clk_out)
    if (busy) begin
      out  <= held;
      seen <= toggle;
    end

  property arrival(ticks);
    logic [1:0] sent;
    @(posedge clk_in) (send && !busy, sent = data) |=> @(posedge clk_out) ##ticks out == sent;
  endproperty
  arrives: assert property (arrival(1));
  arrives_at_once: assert property (arrival(0));
endmodule
