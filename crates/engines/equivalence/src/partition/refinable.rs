//! A partition of the numbers below `n` that only ever gets finer (Valmari, Lehtinen 2008).
//!
//! The elements of a set are one slice of `elements`; the marked ones stand in front. Marking is constant time, and splitting all
//! sets with marks costs as much as the marks did: the smaller part becomes the new set, whichever it is.

use std::ops::Range;

/// The partition: 12 bytes an element and 12 bytes a set.
pub(crate) struct Refinable {
    elements: Vec<u32>,
    location: Vec<u32>,
    set_of: Vec<u32>,
    sets: Vec<Set>,
    touched: Vec<u32>,
}

struct Set {
    first: u32,
    /// The position behind the last marked element.
    middle: u32,
    end: u32,
}

impl Refinable {
    /// The partition of `0..keys.len()` whose sets are the elements with equal keys, for all keys below `bound`. Some may be empty.
    pub fn by_keys(keys: &[u32], bound: usize) -> Refinable {
        let mut end = vec![0u32; bound];
        for &key in keys {
            end[key as usize] += 1;
        }
        let mut sum = 0;
        let mut sets = Vec::with_capacity(bound);
        for end in &mut end {
            let first = sum;
            sum += std::mem::replace(end, first);
            sets.push(Set {
                first,
                middle: first,
                end: sum,
            });
        }
        let mut elements = vec![0u32; keys.len()];
        let mut location = Vec::with_capacity(keys.len());
        for (element, &key) in keys.iter().enumerate() {
            let place = &mut end[key as usize];
            elements[*place as usize] = element as u32;
            location.push(*place);
            *place += 1;
        }
        Refinable {
            elements,
            location,
            set_of: keys.to_vec(),
            sets,
            touched: Vec::new(),
        }
    }

    #[inline]
    pub fn set_of(&self, element: u32) -> u32 {
        self.set_of[element as usize]
    }

    pub fn set_count(&self) -> usize {
        self.sets.len()
    }

    pub fn size(&self, set: u32) -> u32 {
        let set = &self.sets[set as usize];
        set.end - set.first
    }

    /// Where the elements of a set are.
    pub fn range(&self, set: u32) -> Range<usize> {
        let set = &self.sets[set as usize];
        set.first as usize..set.end as usize
    }

    pub fn element(&self, place: usize) -> u32 {
        self.elements[place]
    }

    pub fn elements(&self, set: u32) -> &[u32] {
        &self.elements[self.range(set)]
    }

    /// Marks an element; a second time does nothing.
    #[inline]
    pub fn mark(&mut self, element: u32) {
        let number = self.set_of[element as usize];
        let set = &mut self.sets[number as usize];
        let place = self.location[element as usize];
        let middle = set.middle;
        if place < middle {
            return;
        }
        if middle == set.first {
            self.touched.push(number);
        }
        set.middle += 1;
        let other = self.elements[middle as usize];
        self.elements[middle as usize] = element;
        self.location[element as usize] = middle;
        self.elements[place as usize] = other;
        self.location[other as usize] = place;
    }

    /// Splits every set that has marked elements and others; the smaller part becomes a new set, numbered next. Tells old and new. No
    /// marks are left.
    pub fn split(&mut self, mut on_split: impl FnMut(u32, u32)) {
        while let Some(old) = self.touched.pop() {
            let new = self.sets.len() as u32;
            let set = &mut self.sets[old as usize];
            let Set { first, middle, end } = *set;
            set.middle = first;
            if middle == end {
                continue;
            }
            let (start, stop) = if middle - first <= end - middle {
                set.first = middle;
                set.middle = middle;
                (first, middle)
            } else {
                set.end = middle;
                (middle, end)
            };
            self.sets.push(Set {
                first: start,
                middle: start,
                end: stop,
            });
            for &element in &self.elements[start as usize..stop as usize] {
                self.set_of[element as usize] = new;
            }
            on_split(old, new);
        }
    }

    /// Splits every set that has marked elements: those with equal keys stay together, and so do those without a mark. The largest part keeps
    /// the number, the others are numbered next; tells old and new. No marks are left. Costs as much as sorting the marked ones.
    pub fn split_by<K: Ord>(&mut self, key: impl Fn(u32) -> K, mut on_split: impl FnMut(u32, u32)) {
        while let Some(old) = self.touched.pop() {
            let Set { first, middle, end } = self.sets[old as usize];
            let marked = &mut self.elements[first as usize..middle as usize];
            marked.sort_unstable_by_key(|&element| key(element));
            for (place, &element) in marked.iter().enumerate() {
                self.location[element as usize] = first + place as u32;
            }
            let mut parts: Vec<(u32, u32)> = Vec::new();
            let mut start = first;
            for run in marked.chunk_by(|a, b| key(*a) == key(*b)) {
                parts.push((start, start + run.len() as u32));
                start += run.len() as u32;
            }
            if middle < end {
                parts.push((middle, end));
            }
            let largest = (0..parts.len()).max_by_key(|&part| parts[part].1 - parts[part].0);
            for (part, &(start, stop)) in parts.iter().enumerate() {
                let set = Set {
                    first: start,
                    middle: start,
                    end: stop,
                };
                if Some(part) == largest {
                    self.sets[old as usize] = set;
                    continue;
                }
                let new = self.sets.len() as u32;
                self.sets.push(set);
                for &element in &self.elements[start as usize..stop as usize] {
                    self.set_of[element as usize] = new;
                }
                on_split(old, new);
            }
        }
    }

    /// Makes the marked elements of every set that has some a new set, numbered next, and tells old and new; where all are marked, the
    /// set stays and there is no new one. No marks are left.
    pub fn split_off_marked(&mut self, mut on_split: impl FnMut(u32, Option<u32>)) {
        while let Some(old) = self.touched.pop() {
            let set = &mut self.sets[old as usize];
            if set.middle == set.end {
                set.middle = set.first;
                on_split(old, None);
            } else {
                on_split(old, Some(self.detach(old)));
            }
        }
    }

    /// The marked elements of a set become a new one, even if nothing is left. Only this set may have marks.
    pub fn detach_marked(&mut self, set: u32) -> u32 {
        self.touched.clear();
        self.detach(set)
    }

    fn detach(&mut self, old: u32) -> u32 {
        let new = self.sets.len() as u32;
        let set = &mut self.sets[old as usize];
        let (first, middle) = (set.first, set.middle);
        set.first = middle;
        self.sets.push(Set {
            first,
            middle: first,
            end: middle,
        });
        for &element in &self.elements[first as usize..middle as usize] {
            self.set_of[element as usize] = new;
        }
        new
    }

    /// The set of each element.
    pub fn into_sets(self) -> Vec<u32> {
        self.set_of
    }
}
