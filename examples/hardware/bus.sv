// An arbiter of a bus with two clients. Its properties are in bus.psl. Needs yosys.
//
//   entail check examples/hardware/bus.sv --properties examples/hardware/bus.psl
//
// What to expect: one client at a time has the bus, and who waits gets it, since clients leave it in time; it does not get it at once.
//
// expect --properties bus.psl: holds bus.arbitration.one_grant
// expect --properties bus.psl: holds bus.arbitration.asked_for
// expect --properties bus.psl: holds bus.arbitration.assert.1
// expect --properties bus.psl: holds bus.arbitration.first_waits
// expect --properties bus.psl: holds bus.arbitration.second_waits
// expect --properties bus.psl: fails bus.arbitration.at_once
// expect --properties bus.psl: holds bus.arbitration.handed_over
// expect --properties bus.psl: holds bus.arbitration.can_be_free
module bus (
    input            clk,
    input            rst,
    input      [1:0] req,
    output reg [1:0] gnt
);
  // Who had it last waits for the other one.
  reg last;
  initial begin
    gnt  = 0;
    last = 0;
  end
  always @(posedge clk)
    if (rst) gnt <= 0;
    else if ((gnt & req) == 0) begin
      gnt <= (req == 2'b11) ? (last ? 2'b01 : 2'b10) : req;
      if (req != 0) last <= (req == 2'b11) ? !last : req[1];
    end
endmodule
