// Data on its way through two stages, followed by local variables. Needs yosys.
//
//   entail check examples/hardware/transfer.sv --top transfer
//
// What to expect: what goes in comes out two ticks later; it is not still there a tick after that; an answer carries the tag of the last request.
//
// expect --top transfer: holds transfer.comes_out
// expect --top transfer: fails transfer.stays
// expect --top transfer: holds transfer.keeps_tag
// expect --top transfer: holds transfer.after_request
// expect --top transfer: holds transfer.seen
module transfer (
    input            clk,
    input            valid,
    input            ack,
    input      [3:0] data,
    output reg       ready,
    output reg [3:0] out,
    output reg [3:0] tag
);
  reg       busy;
  reg [3:0] first;
  reg       pending;
  initial begin
    busy = 0;
    ready = 0;
    pending = 0;
  end
  always @(posedge clk) begin
    busy  <= valid;
    first <= data;
    ready <= busy;
    out   <= first;
    if (valid && !pending) begin
      tag     <= data;
      pending <= 1;
    end else if (ack) pending <= 0;
  end

  default clocking @(posedge clk);
  endclocking

  property comes_out_p;
    logic [3:0] v;
    (valid, v = data) |-> ##2 ready && out == v;
  endproperty
  comes_out : assert property (comes_out_p);

  property stays_p;
    logic [3:0] v;
    (valid, v = data) |-> ##2 out == v ##1 out == v;
  endproperty
  stays : assert property (stays_p);

  // However long it takes.
  property keeps_tag_p;
    logic [3:0] v;
    (valid && !pending, v = data) ##1 !ack [*] ##1 ack |-> tag == v;
  endproperty
  keeps_tag : assert property (keeps_tag_p);

  sequence request;
    valid ##1 !valid;
  endsequence
  after_request : assert property (request.triggered |-> busy);

  sequence twice_s;
    logic [3:0] v;
    (valid, v = data) ##[1:$] (valid && data == v + 4'd1) ##2 out == v + 4'd1;
  endsequence
  seen : cover property (twice_s);
endmodule
