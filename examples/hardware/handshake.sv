// Assertions that come from a macro, a package, a checker, a clocking block and a bound module. Needs yosys.
//
//   entail check examples/hardware/handshake.sv --top handshake
//
// What to expect: a request is granted in the next cycle (a macro, a property of a package, a checker say so), and a grant does not stay for two. Whatever number is
// written is read in the next cycle, `watched` being any number that stays what it is.
//
// expect --top handshake: holds handshake.granted
// expect --top handshake: fails handshake.stays
// expect --top handshake: holds handshake.from_package
// expect --top handshake: holds handshake.by_block
// expect --top handshake: holds handshake.answers.answered
// expect --top handshake: holds handshake.answers.seen
// expect --top handshake: holds handshake.last.any_number
`define ASSERT(name, said) \
  name: assert property (@(posedge clk) disable iff (rst) said) \
    else $error(`"said`");

package handshakes;
  property follows(trigger, answer, ticks = 1);
    trigger |-> ##ticks answer;
  endproperty
endpackage

checker answers_once(request, answer, event tick, reset);
  default clocking @tick; endclocking
  default disable iff (reset);
  answered: assert property (request |=> answer);
  seen: cover property (request ##1 answer);
endchecker

module handshake (
    input        clk,
    input        rst,
    input        req,
    input  [3:0] data,
    output       gnt,
    output [3:0] kept
);
  import handshakes::*;
  reg       granted = 0;
  reg [3:0] last_data = 0;
  always @(posedge clk)
    if (rst) granted <= 0;
    else begin
      granted   <= req;
      last_data <= data;
    end
  assign gnt = granted;
  assign kept = last_data;

  clocking tick @(posedge clk);
    input req, gnt;
  endclocking

  `ASSERT(granted, req |=> gnt)
  `ASSERT(stays, gnt |=> gnt)
  from_package: assert property (@(posedge clk) disable iff (rst) follows(req, gnt));
  by_block: assert property (@(tick) disable iff (rst) tick.req |=> tick.gnt);
  answers_once answers (req, gnt, posedge clk, rst);
endmodule

module remembers (input clk, rst, input [3:0] in, out);
  (* anyconst *) reg [3:0] watched;
  any_number: assert property (@(posedge clk) disable iff (rst) in == watched |=> out == watched);
endmodule

bind handshake remembers last (.clk, .rst, .in(data), .out(kept));
