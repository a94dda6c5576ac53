// A FIFO of four entries with concurrent assertions, an assumption and a cover. Needs yosys.
//
//   entail check examples/hardware/fifo.sv --top fifo
//
// What to expect: push_is_counted fails (a pop at the same time is forgotten); the rest holds.
//
// expect --top fifo: holds fifo.never_overflows
// expect --top fifo: holds fifo.count_is_distance
// expect --top fifo: holds fifo.full_drains
// expect --top fifo: fails fifo.push_is_counted
// expect --top fifo: holds fifo.fills_up
module fifo (
  input  logic       clk, rst, push, pop,
  input  logic [7:0] din,
  output logic [7:0] dout,
  output logic       full, empty
);
  logic [7:0] memory [0:3];
  logic [1:0] head = 0, tail = 0;
  logic [2:0] count = 0;

  assign full  = count == 4;
  assign empty = count == 0;
  assign dout  = memory[head];

  wire do_push = push && !full;
  wire do_pop  = pop && !empty;

  always_ff @(posedge clk)
    if (rst) begin
      head <= 0; tail <= 0; count <= 0;
    end else begin
      if (do_push) begin memory[tail] <= din; tail <= tail + 1; end
      if (do_pop) head <= head + 1;
      count <= count + do_push - do_pop;
    end

  default clocking cb @(posedge clk); endclocking
  default disable iff (rst);

  // A consumer that never waits for more than three cycles.
  reader_comes: assume property (!pop[*4] |-> 0);

  never_overflows: assert property (count <= 4);
  count_is_distance: assert property (!full |-> (count[1:0] == tail - head));
  full_drains: assert property (full |-> ##[1:5] !full);

  // Wrong: a push while something is popped leaves the count as it is.
  push_is_counted: assert property (push && !full |=> count == $past(count) + 1);

  fills_up: cover property (empty ##1 push[*4] ##1 full);
endmodule
