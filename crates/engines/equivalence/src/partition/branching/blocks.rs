//! Blocks of states, with the bottom states of each in front.
//!
//! A *bottom state* has no inert step: no hidden step inside its block. The states of a block are one slice of `elements`: marked
//! bottom states, other bottom states, the rest.

pub(super) struct Blocks {
    elements: Vec<u32>,
    location: Vec<u32>,
    block_of: Vec<u32>,
    /// How many inert steps leave each state.
    inert: Vec<u32>,
    blocks: Vec<Block>,
}

struct Block {
    first: u32,
    marked_end: u32,
    bottom_end: u32,
    end: u32,
}

impl Blocks {
    /// Blocks by dense keys; `inert` counts the inert steps of each state.
    pub fn new(keys: &[u32], count: usize, inert: Vec<u32>) -> Blocks {
        // Counting sort by block and by being at the bottom.
        let slot = |state: usize| 2 * keys[state] as usize + usize::from(inert[state] > 0);
        let mut place = vec![0u32; 2 * count];
        for state in 0..keys.len() {
            place[slot(state)] += 1;
        }
        let mut sum = 0;
        for place in &mut place {
            sum += std::mem::replace(place, sum);
        }
        let start = |slot: usize| place.get(slot).copied().unwrap_or(sum);
        let blocks = (0..count)
            .map(|block| Block {
                first: start(2 * block),
                marked_end: start(2 * block),
                bottom_end: start(2 * block + 1),
                end: start(2 * block + 2),
            })
            .collect();
        let mut elements = vec![0; keys.len()];
        let mut location = vec![0; keys.len()];
        for state in 0..keys.len() {
            let place = &mut place[slot(state)];
            elements[*place as usize] = state as u32;
            location[state] = *place;
            *place += 1;
        }
        Blocks {
            elements,
            location,
            block_of: keys.to_vec(),
            inert,
            blocks,
        }
    }

    pub fn count(&self) -> usize {
        self.blocks.len()
    }

    #[inline]
    pub fn of(&self, state: u32) -> u32 {
        self.block_of[state as usize]
    }

    pub fn all(&self) -> &[u32] {
        &self.block_of
    }

    pub fn states(&self, block: u32) -> &[u32] {
        let block = &self.blocks[block as usize];
        &self.elements[block.first as usize..block.end as usize]
    }

    pub fn bottoms(&self, block: u32) -> &[u32] {
        let block = &self.blocks[block as usize];
        &self.elements[block.first as usize..block.bottom_end as usize]
    }

    pub fn unmarked_bottoms(&self, block: u32) -> &[u32] {
        let block = &self.blocks[block as usize];
        &self.elements[block.marked_end as usize..block.bottom_end as usize]
    }

    #[inline]
    pub fn is_bottom(&self, state: u32) -> bool {
        self.inert[state as usize] == 0
    }

    pub fn inert_steps(&self, state: u32) -> u32 {
        self.inert[state as usize]
    }

    fn swap(&mut self, left: u32, right: u32) {
        self.elements.swap(left as usize, right as usize);
        for place in [left, right] {
            self.location[self.elements[place as usize] as usize] = place;
        }
    }

    /// Marks a bottom state.
    pub fn mark(&mut self, state: u32) {
        let block = &mut self.blocks[self.block_of[state as usize] as usize];
        let (place, marked_end) = (self.location[state as usize], block.marked_end);
        if place >= marked_end {
            block.marked_end += 1;
            self.swap(place, marked_end);
        }
    }

    /// Takes all marks of a block away.
    pub fn clear_marks(&mut self, block: u32) {
        let block = &mut self.blocks[block as usize];
        block.marked_end = block.first;
    }

    /// One step of a state is not inert any more; says whether the state has come to the bottom. Its block has no marks.
    pub fn lose_inert_step(&mut self, state: u32) -> bool {
        self.inert[state as usize] -= 1;
        let is_bottom = self.inert[state as usize] == 0;
        if is_bottom {
            let block = &mut self.blocks[self.block_of[state as usize] as usize];
            let bottom_end = block.bottom_end;
            block.bottom_end += 1;
            self.swap(self.location[state as usize], bottom_end);
        }
        is_bottom
    }

    /// Parts some states from the others of their block, which has no marks; there are others. The smaller part becomes the new block. Gives
    /// the block of these states and that of the others.
    pub fn part(&mut self, block: u32, these: &[u32]) -> (u32, u32) {
        let Block {
            first,
            bottom_end,
            end,
            ..
        } = self.blocks[block as usize];
        // In front of the bottom states and of the others.
        let (mut bottoms, mut others) = (first, bottom_end);
        for &state in these {
            let to = if self.is_bottom(state) {
                &mut bottoms
            } else {
                &mut others
            };
            let place = *to;
            *to += 1;
            self.swap(self.location[state as usize], place);
        }
        // The other bottom states and these states that are not at the bottom change places.
        let swapped = (bottom_end - bottoms).min(others - bottom_end);
        for distance in 0..swapped {
            self.swap(bottoms + distance, others - 1 - distance);
        }
        let middle = first + these.len() as u32;
        let front = Block {
            first,
            marked_end: first,
            bottom_end: bottoms,
            end: middle,
        };
        let back = Block {
            first: middle,
            marked_end: middle,
            bottom_end: middle + (bottom_end - bottoms),
            end,
        };
        let new = self.blocks.len() as u32;
        let is_small = middle - first <= end - middle;
        let (small, large) = if is_small { (front, back) } else { (back, front) };
        for &state in &self.elements[small.first as usize..small.end as usize] {
            self.block_of[state as usize] = new;
        }
        self.blocks[block as usize] = large;
        self.blocks.push(small);
        if is_small { (new, block) } else { (block, new) }
    }
}
