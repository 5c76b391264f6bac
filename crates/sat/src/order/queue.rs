//! The decision queue: variables ordered by their last bump (VMTF: Ryan 2004; Biere and Froehlich 2015). It is
//! a linked list; its last element was bumped last.
//!
//! The queue forgets old conflicts faster than activities do, which suits searches that restart often. All
//! variables after a *search pointer* are assigned, so the search for the next decision starts at this pointer
//! instead of the end.
//!
//! Invariants: stamps increase from the first link to the last; while the queue is in use, all variables with a
//! stamp above that of the search pointer are assigned.

use crate::lit::Var;

const NONE: u32 = u32::MAX;

#[derive(Clone, Copy)]
struct Link {
    previous: u32,
    next: u32,
    /// Time of the last bump; 0 if the variable is not in the list.
    stamp: u64,
}

pub(super) struct Queue {
    links: Vec<Link>,
    last: u32,
    /// Search pointer: all variables after it are assigned.
    search: u32,
    now: u64,
}

impl Queue {
    pub(super) fn new() -> Self {
        Self { links: Vec::new(), last: NONE, search: NONE, now: 0 }
    }

    /// Adds a new variable that may be decided. `links` ends with the last variable that may be decided, so
    /// later variables that only a theory decides need no memory. A theory can have a million of them.
    pub(super) fn new_var(&mut self, var: Var) {
        self.links.resize(var.index() + 1, Link { previous: NONE, next: NONE, stamp: 0 });
        self.append(var.0);
        self.search = self.last;
    }

    pub(super) fn stamp(&self, var: Var) -> u64 {
        self.links.get(var.index()).map_or(0, |link| link.stamp)
    }

    /// Records that the variable is no longer assigned.
    pub(super) fn freed(&mut self, var: Var) {
        let stamp = self.stamp(var);
        if stamp > 0 && (self.search == NONE || stamp > self.links[self.search as usize].stamp) {
            self.search = var.0;
        }
    }

    /// Moves the search pointer to the end of the list. Needed when the use of the queue begins, because the
    /// pointer was not updated before.
    pub(super) fn search_from_the_end(&mut self) {
        self.search = self.last;
    }

    /// The variable bumped last of those that satisfy `is_open`.
    pub(super) fn next(&mut self, is_open: impl Fn(Var) -> bool) -> Option<Var> {
        while self.search != NONE && !is_open(Var(self.search)) {
            self.search = self.links[self.search as usize].previous;
        }
        (self.search != NONE).then_some(Var(self.search))
    }

    /// Moves an assigned variable to the end.
    pub(super) fn bump(&mut self, var: Var) {
        let Some(&link) = self.links.get(var.index()) else { return };
        if link.stamp == 0 || link.next == NONE {
            return;
        }
        self.unlink(var);
        self.append(var.0);
    }

    /// Removes a variable from the list.
    pub(super) fn remove(&mut self, var: Var) {
        if self.stamp(var) > 0 {
            self.unlink(var);
            self.links[var.index()] = Link { previous: NONE, next: NONE, stamp: 0 };
        }
    }

    /// Links the neighbours of a variable to each other. A search pointer to the variable moves to a neighbour.
    fn unlink(&mut self, var: Var) {
        let link = self.links[var.index()];
        match link.next {
            NONE => self.last = link.previous,
            next => self.links[next as usize].previous = link.previous,
        }
        if link.previous != NONE {
            self.links[link.previous as usize].next = link.next;
        }
        if self.search == var.0 {
            self.search = if link.previous == NONE { link.next } else { link.previous };
        }
    }

    /// Panics if the list is inconsistent, or if an unassigned variable is after the search pointer.
    pub(super) fn check(&self, is_open: impl Fn(Var) -> bool) {
        let mut count = 0;
        let (mut at, mut later) = (self.last, NONE);
        let mut is_behind = true;
        while at != NONE {
            let link = self.links[at as usize];
            assert_eq!(link.next, later, "the list leads back as it leads forth");
            assert!(later == NONE || link.stamp < self.links[later as usize].stamp, "stamps rise");
            is_behind &= at != self.search;
            assert!(!is_behind || !is_open(Var(at)), "an open variable lies behind the pointer");
            count += 1;
            (at, later) = (link.previous, at);
        }
        assert_eq!(count, self.links.iter().filter(|link| link.stamp > 0).count(), "a link is lost");
    }

    fn append(&mut self, var: u32) {
        debug_assert!(self.last == NONE || self.links[self.last as usize].next == NONE);
        self.now += 1;
        self.links[var as usize] = Link { previous: self.last, next: NONE, stamp: self.now };
        if self.last != NONE {
            self.links[self.last as usize].next = var;
        }
        self.last = var;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    #[test]
    fn the_last_bumped_open_variable_comes_first() {
        let mut queue = Queue::new();
        let mut rng = Rng(3);
        let mut order: Vec<usize> = Vec::new();
        let mut open = [true; 30];
        for index in 0..30 {
            if index % 7 != 0 {
                queue.new_var(Var::new(index));
            }
            order.extend((index % 7 != 0).then_some(index));
        }
        for _ in 0..5000 {
            let index = rng.below(30);
            let var = Var::new(index);
            match rng.below(3) {
                0 => open[index] = false,
                1 if !open[index] => {
                    open[index] = true;
                    queue.freed(var);
                }
                _ if open[index] => {}
                _ => {
                    queue.bump(var);
                    if order.contains(&index) {
                        order.retain(|&other| other != index);
                        order.push(index);
                    }
                }
            }
            let expected = order.iter().rev().copied().find(|&index| open[index]);
            queue.check(|var| open[var.index()]);
            assert_eq!(queue.next(|var| open[var.index()]).map(Var::index), expected);
        }
    }
}
