// A crossing with two lights, its state written in two bits or one bit for each state: both sides of traffic.eqy. Needs yosys.
//
//   entail check examples/hardware/traffic.sv
//
// What to expect: the lights are never both green.
//
// expect: holds traffic.safe
module traffic(input clk, input rst, input car, output main_green, output side_green);
`ifdef ONE_HOT
  // main, main is turning, side, side is turning
  reg [3:0] state;
  always @(posedge clk)
    if (rst) state <= 4'b0001;
    else begin
      state[0] <= state[3] | (state[0] & ~car);
      state[1] <= state[0] & car;
      state[2] <= state[1] | (state[2] & car);
      state[3] <= state[2] & ~car;
    end
  assign main_green = state[0];
  assign side_green = state[2];
`else
  reg [1:0] state;
  always @(posedge clk)
    if (rst) state <= 2'd0;
    else case (state)
      2'd0: if (car) state <= 2'd1;
      2'd1: state <= 2'd2;
      2'd2: if (!car) state <= 2'd3;
      2'd3: state <= 2'd0;
    endcase
  assign main_green = state == 2'd0;
  assign side_green = state == 2'd2;
`endif
  safe : assert property (@(posedge clk) !(main_green && side_green));
endmodule
