// A FIFO's fill level, two assertions and an assumption about it. Needs yosys.
//
//   entail check examples/hardware/fifo_count.sv --top fifo_count
//
// What to expect: in_range holds; never_full fails after four pushes.
//
// expect --top fifo_count: holds in_range
// expect --top fifo_count: fails never_full
module fifo_count #(parameter DEPTH = 4) (
    input wire clk,
    input wire reset,
    input wire push,
    input wire pop
);
    reg [2:0] count = 0;
    wire full  = count == DEPTH;
    wire empty = count == 0;

    always @(posedge clk) begin
        if (reset)
            count <= 0;
        else if (push && !full && !(pop && !empty))
            count <= count + 1;
        else if (pop && !empty && !(push && !full))
            count <= count - 1;
    end

`ifdef FORMAL
    always @(*) begin
        in_range: assert (count <= DEPTH);
        never_full: assert (!full);
    end
    always @(*) assume (!(push && pop));
`endif
endmodule
