//! What steps touch, and when two of them may be in each other's way.

/// A set of channels by number. There are at most 255 at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChannelSet([u64; 4]);

impl ChannelSet {
    /// Every channel.
    pub const ALL: ChannelSet = ChannelSet([u64::MAX; 4]);

    pub fn insert(&mut self, channel: u8) {
        self.0[usize::from(channel) / 64] |= 1 << (channel % 64);
    }

    pub fn add(&mut self, other: &ChannelSet) {
        for (own, other) in self.0.iter_mut().zip(other.0) {
            *own |= other;
        }
    }

    fn meets(&self, other: &ChannelSet) -> bool {
        self.0.iter().zip(other.0).any(|(own, other)| own & other != 0)
    }
}

/// A set of the things processes share besides channels, each a number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObjectSet(Vec<u64>);

impl ObjectSet {
    pub fn insert(&mut self, object: usize) {
        if self.0.len() <= object / 64 {
            self.0.resize(object / 64 + 1, 0);
        }
        self.0[object / 64] |= 1 << (object % 64);
    }

    pub fn add(&mut self, other: &ObjectSet) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (own, other) in self.0.iter_mut().zip(&other.0) {
            *own |= other;
        }
    }

    fn meets(&self, other: &ObjectSet) -> bool {
        self.0.iter().zip(&other.0).any(|(own, other)| own & other != 0)
    }
}

/// What a step, or all steps of some process from now on, may touch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Footprint {
    pub reads: ObjectSet,
    pub writes: ObjectSet,
    /// Channels to whose end something is sent.
    pub sends: ChannelSet,
    /// Channels into which something is sorted.
    pub sorts: ChannelSet,
    pub receives: ChannelSet,
    /// Channels whose messages are waited for, as long as they are there.
    pub peeks: ChannelSet,
    /// Channels in which room is waited for.
    pub rooms: ChannelSet,
    /// Channels of which it matters how many messages they have.
    pub probes: ChannelSet,
    pub starts: bool,
    pub ends: bool,
    /// It matters how many processes there are.
    pub counts: bool,
}

impl Footprint {
    pub fn add(&mut self, other: &Footprint) {
        self.reads.add(&other.reads);
        self.writes.add(&other.writes);
        self.sends.add(&other.sends);
        self.sorts.add(&other.sorts);
        self.receives.add(&other.receives);
        self.peeks.add(&other.peeks);
        self.rooms.add(&other.rooms);
        self.probes.add(&other.probes);
        self.starts |= other.starts;
        self.ends |= other.ends;
        self.counts |= other.counts;
    }

    /// Whether something is done with one of these channels.
    pub fn uses(&self, channels: &ChannelSet) -> bool {
        let sets = [
            &self.sends,
            &self.sorts,
            &self.receives,
            &self.peeks,
            &self.rooms,
            &self.probes,
        ];
        sets.iter().any(|set| set.meets(channels))
    }

    /// Whether the two have something of the same kind in common.
    pub fn meets(&self, other: &Footprint) -> bool {
        self.reads.meets(&other.reads)
            || self.writes.meets(&other.writes)
            || self.sends.meets(&other.sends)
            || self.sorts.meets(&other.sorts)
            || self.receives.meets(&other.receives)
            || self.peeks.meets(&other.peeks)
            || self.rooms.meets(&other.rooms)
            || self.probes.meets(&other.probes)
            || self.starts & other.starts
            || self.ends & other.ends
            || self.counts & other.counts
    }

    /// What others would have to do to be in the way of a step that touches this: steps that meet it are dependent on the step.
    ///
    /// Receiving from one end of a channel and sending to the other are independent where both are possible, and so is waiting for messages and
    /// sending some. Whether a step is possible depends on the number of messages: what depends on that is among the probes.
    pub fn opposed(&self) -> Footprint {
        let any = |sets: &[&ChannelSet]| {
            sets.iter().fold(ChannelSet::default(), |mut all, set| {
                all.add(set);
                all
            })
        };
        let mut writes = self.reads.clone();
        writes.add(&self.writes);
        let looks = any(&[&self.probes, &self.peeks, &self.rooms]);
        let changes = any(&[&self.sends, &self.sorts, &self.receives]);
        Footprint {
            reads: self.writes.clone(),
            writes,
            sends: any(&[&self.sends, &self.sorts, &looks]),
            sorts: any(&[&changes, &looks]),
            receives: any(&[&self.receives, &self.sorts, &looks]),
            peeks: any(&[&self.receives, &self.sorts]),
            rooms: any(&[&self.sends, &self.sorts]),
            probes: changes,
            starts: self.starts | self.ends | self.counts,
            // Only the youngest process can end, so one that can does not wait for others that end.
            ends: self.starts | self.counts,
            counts: self.starts | self.ends,
        }
    }
}
