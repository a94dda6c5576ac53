//! Messages between workers, in rounds, on timely dataflow.
//!
//! A round is an epoch of one small dataflow: parcels go in, are exchanged by their destination, and come out at it. When the frontier has passed the epoch,
//! everything that anybody sent in the round has arrived everywhere. So all algorithms here are bulk-synchronous (Valiant, *A bridging model for parallel computation*,
//! CACM 1990), and a worker needs to know nothing of the others but their number.

use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::rc::Rc;
use timely::dataflow::channels::pact::Exchange;
use timely::dataflow::operators::{Input, Operator, Probe};
use timely::dataflow::{InputHandleVec, ProbeHandle};
use timely::worker::Worker;

/// Bytes on their way.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Parcel {
    to: u32,
    from: u32,
    round: u64,
    #[serde(with = "serde_bytes")]
    bytes: Vec<u8>,
}

/// A worker's links to all workers, itself included.
pub struct Links<'w> {
    worker: &'w mut Worker,
    input: InputHandleVec<u64, Parcel>,
    probe: ProbeHandle<u64>,
    arrivals: Rc<RefCell<Vec<Parcel>>>,
    round: u64,
}

impl<'w> Links<'w> {
    /// Links between all workers; each must make them.
    pub fn new(worker: &'w mut Worker) -> Links<'w> {
        let mut input = InputHandleVec::new();
        let arrivals = Rc::new(RefCell::new(Vec::new()));
        let inbox = Rc::clone(&arrivals);
        let probe = worker.dataflow(|scope| {
            scope
                .input_from(&mut input)
                .unary::<timely::container::CapacityContainerBuilder<Vec<()>>, _, _, _>(
                    Exchange::new(|parcel: &Parcel| u64::from(parcel.to)),
                    "Deliver",
                    |_, _| {
                        move |arriving, _| {
                            arriving.for_each_time(|_, parcels| {
                                for parcels in parcels {
                                    inbox.borrow_mut().append(parcels);
                                }
                            });
                        }
                    },
                )
                .probe()
                .0
        });
        Links {
            worker,
            input,
            probe,
            arrivals,
            round: 0,
        }
    }

    /// This worker's number.
    pub fn index(&self) -> usize {
        self.worker.index()
    }

    /// How many workers there are.
    pub fn peers(&self) -> usize {
        self.worker.peers()
    }

    /// Sends something in this round.
    pub fn send(&mut self, to: usize, bytes: Vec<u8>) {
        self.input.send(Parcel {
            to: to as u32,
            from: self.worker.index() as u32,
            round: self.round,
            bytes,
        });
        self.worker.step();
    }

    /// What has arrived in this round so far: from whom, and what.
    pub fn arrived(&mut self) -> Vec<(usize, Vec<u8>)> {
        let mut arrivals = self.arrivals.borrow_mut();
        let of_this = arrivals.extract_if(.., |parcel| parcel.round == self.round);
        of_this
            .map(|parcel| (parcel.from as usize, parcel.bytes))
            .collect()
    }

    /// Ends the round: what was sent in it and not yet taken has arrived.
    pub fn end_round(&mut self) -> Vec<(usize, Vec<u8>)> {
        self.input.advance_to(self.round + 1);
        self.input.flush();
        while self.probe.less_than(self.input.time()) {
            self.worker.step_or_park(None);
        }
        let arrived = self.arrived();
        self.round += 1;
        arrived
    }

    /// A round in which everybody tells everybody something: what each said, by number.
    pub fn share(&mut self, bytes: &[u8]) -> Vec<Vec<u8>> {
        for to in 0..self.peers() {
            self.send(to, bytes.to_vec());
        }
        let mut said = vec![Vec::new(); self.peers()];
        for (from, bytes) in self.end_round() {
            said[from] = bytes;
        }
        said
    }
}
