// The FIFO of fifo.sv as a file list. Needs yosys.
//
//   entail check examples/hardware/fifo.f
//
// What to expect: as in fifo.sv.
//
// expect: holds fifo.never_overflows
// expect: holds fifo.count_is_distance
// expect: holds fifo.full_drains
// expect: fails fifo.push_is_counted
// expect: holds fifo.fills_up
+define+FORMAL_FIFO
--top-module fifo
fifo.sv
