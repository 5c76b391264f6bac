//! The connections of a worker to all workers, as a dataflow of timely.
//!
//! The dataflow has one input and one operator. What a worker gives to the input goes to the operator of the worker
//! that it is addressed to, which puts it into the inbox there. Timely tracks the progress: it knows when everything
//! with a timestamp has arrived at all workers. The loop of a search is in the worker and not in the dataflow, because
//! the levels of a search are also the points at which all workers agree what to do next.
//!
//! A timestamp is an *epoch* and a round in it. All workers end the same epochs. Within an epoch, each worker begins a
//! new round when it has sent about a megabyte, and then waits until the round before the last has arrived everywhere.
//! So no more than two rounds of any worker wait in buffers.
//!
//! An epoch ends with an agreement: each worker gives something to all, and when the epoch is over, everything sent in
//! it has arrived, and all workers know what each of them gave. A worker that learns this first may send states of the
//! next epoch before the others know it, so these stay in the inbox until the receiver is there, too.

use crate::Error;
use crate::parcel::{Kind, Parcel};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;
use timely::container::CapacityContainerBuilder;
use timely::dataflow::channels::pact::Exchange;
use timely::dataflow::operators::{Input, Operator, Probe};
use timely::dataflow::{InputHandle, ProbeHandle};
use timely::worker::Worker;

/// Bytes that a worker sends in a round.
pub(crate) const ROUND: usize = 1 << 20;

/// Rounds that may be on their way while a worker fills the next one.
const ROUNDS: u64 = 2;

/// Maximum time between two looks at the stop flag while there is nothing to do.
const PAUSE: Duration = Duration::from_millis(100);

type Sending = InputHandle<u64, CapacityContainerBuilder<Vec<Parcel>>>;

/// What has arrived and was not taken yet.
#[derive(Default)]
struct Inbox {
    /// Batches of states with their epochs.
    states: Vec<(u64, Vec<u8>)>,
    keys: Vec<Vec<u8>>,
    votes: Vec<(u64, u32, Vec<u8>)>,
    /// The latest timestamp of a message.
    latest: u64,
}

/// The connections of a worker.
pub struct Links<'w> {
    worker: &'w mut Worker,
    input: Sending,
    probe: ProbeHandle<u64>,
    inbox: Rc<RefCell<Inbox>>,
    epoch: u64,
    /// The epoch of the states to receive. It is behind `epoch` while an epoch ends.
    receiving: u64,
    round: u64,
    /// Bytes sent in this round.
    filled: usize,
    /// Bytes sent to other workers.
    sent: u64,
    /// Number of agreements so far.
    votes: u64,
}

impl std::fmt::Debug for Links<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Links({} of {})", self.number(), self.peers())
    }
}

impl<'w> Links<'w> {
    /// Creates the dataflow. All workers must do this.
    pub fn new(worker: &'w mut Worker) -> Self {
        let mut input = Sending::new_with_builder();
        let probe = ProbeHandle::new();
        let inbox: Rc<RefCell<Inbox>> = Rc::default();
        worker.dataflow::<u64, _, _>(|scope| {
            let arrived = Rc::clone(&inbox);
            scope
                .input_from(&mut input)
                .unary::<CapacityContainerBuilder<Vec<()>>, _, _, _>(
                    Exchange::new(|parcel: &Parcel| u64::from(parcel.to)),
                    "inbox",
                    move |_, _| {
                        move |input, _| {
                            input.for_each(|time, parcels: &mut Vec<Parcel>| {
                                let mut inbox = arrived.borrow_mut();
                                let stamp = time.stamp().iter().copied().fold(0, u64::max);
                                inbox.latest = inbox.latest.max(stamp);
                                parcels.drain(..).for_each(|parcel| inbox.put(stamp >> 32, parcel));
                            });
                        }
                    },
                )
                .probe_with(&probe);
        });
        Self { worker, input, probe, inbox, epoch: 0, receiving: 0, round: 0, filled: 0, sent: 0, votes: 0 }
    }

    /// Number of this worker, from 0.
    #[must_use]
    pub fn number(&self) -> usize {
        self.worker.index()
    }

    /// Number of workers.
    #[must_use]
    pub fn peers(&self) -> usize {
        self.worker.peers()
    }

    /// Number of bytes sent to other workers.
    #[must_use]
    pub fn sent(&self) -> u64 {
        self.sent
    }

    /// Sends states to a worker.
    pub(crate) fn send_states(&mut self, to: usize, data: Vec<u8>) {
        self.filled += data.len();
        self.send(to, Kind::States, data);
    }

    /// Sends keys to a worker.
    pub(crate) fn send_keys(&mut self, to: usize, data: Vec<u8>) {
        self.filled += data.len();
        self.send(to, Kind::Keys, data);
    }

    fn send(&mut self, to: usize, kind: Kind, data: Vec<u8>) {
        let number = self.number();
        if to != number {
            self.sent += data.len() as u64;
        }
        let index = |worker: usize| u32::try_from(worker).expect("there are fewer than 2^32 workers");
        self.input.send(Parcel { to: index(to), from: index(number), kind, data });
    }

    /// Gets what has arrived, and begins the next round if this one is full. A worker that sends little follows the
    /// rounds of the others, so that they need not wait for it. The caller then waits while [`Links::is_behind`].
    pub(crate) fn turn(&mut self) {
        self.worker.step();
        let latest = self.inbox.borrow().latest;
        let seen = if latest >> 32 == self.epoch { latest & u64::from(u32::MAX) } else { 0 };
        let is_full = self.filled >= ROUND;
        let round = seen.max(self.round + u64::from(is_full));
        if round > self.round {
            self.round = round;
            self.input.advance_to(self.time());
        }
        if is_full {
            self.filled = 0;
        }
    }

    /// Returns true if too much is on its way.
    pub(crate) fn is_behind(&self) -> bool {
        self.round >= ROUNDS && self.probe.less_than(&(self.time() - ROUNDS))
    }

    /// Ends the epoch: waits until all workers have ended it and everything that was sent in it has arrived. Calls
    /// `take` meanwhile, and once more in the end.
    pub(crate) fn end(&mut self, mut take: impl FnMut(&mut Self)) {
        (self.epoch, self.round, self.filled) = (self.epoch + 1, 0, 0);
        self.input.advance_to(self.time());
        while self.probe.less_than(&self.time()) {
            self.step();
            take(self);
        }
        take(self);
        self.receiving = self.epoch;
    }

    /// Waits for a message, or for a moment.
    pub(crate) fn step(&mut self) {
        self.worker.step_or_park(Some(PAUSE));
    }

    /// Passes the batches of states that were sent in this epoch, or in the one that is about to end, and have arrived
    /// to `take`.
    pub(crate) fn receive_states(&mut self, mut take: impl FnMut(&[u8])) {
        let epoch = self.receiving;
        let states = std::mem::take(&mut self.inbox.borrow_mut().states);
        let (now, later): (Vec<_>, Vec<_>) = states.into_iter().partition(|(of, _)| *of == epoch);
        self.inbox.borrow_mut().states = later;
        now.iter().for_each(|(_, data)| take(data));
    }

    /// Passes the batches of keys that have arrived to `take`.
    pub(crate) fn receive_keys(&mut self, mut take: impl FnMut(&[u8])) {
        let keys = std::mem::take(&mut self.inbox.borrow_mut().keys);
        keys.iter().for_each(|data| take(data));
    }

    /// Gives `mine` to all workers, and returns what they gave, in the order of their numbers. All workers must
    /// call this at the same point.
    pub(crate) fn agree<T: Serialize + DeserializeOwned>(&mut self, mine: &T) -> Result<Vec<T>, Error> {
        self.agree_after(mine, |_| {})
    }

    /// Like [`Links::agree`], and calls `take` while messages arrive ([`Links::end`]).
    pub(crate) fn agree_after<T: Serialize + DeserializeOwned>(
        &mut self,
        mine: &T,
        take: impl FnMut(&mut Self),
    ) -> Result<Vec<T>, Error> {
        let data = serde_json::to_vec(mine).map_err(|_| Error::Message)?;
        let number = self.votes;
        self.votes += 1;
        for to in 0..self.peers() {
            self.send(to, Kind::Vote(number), data.clone());
        }
        self.end(take);
        let mut votes = self.inbox.borrow_mut().votes_of(number);
        votes.sort_by_key(|(from, _)| *from);
        if votes.iter().map(|(from, _)| *from as usize).ne(0..self.peers()) {
            return Err(Error::Left);
        }
        votes.iter().map(|(_, data)| serde_json::from_slice(data).map_err(|_| Error::Message)).collect()
    }

    fn time(&self) -> u64 {
        self.epoch << 32 | self.round
    }
}

impl Inbox {
    fn put(&mut self, epoch: u64, parcel: Parcel) {
        match parcel.kind {
            Kind::States => self.states.push((epoch, parcel.data)),
            Kind::Keys => self.keys.push(parcel.data),
            Kind::Vote(number) => self.votes.push((number, parcel.from, parcel.data)),
        }
    }

    /// Removes and returns the votes with this number. A worker that is ahead may have sent the next ones.
    fn votes_of(&mut self, number: u64) -> Vec<(u32, Vec<u8>)> {
        let (now, later) = std::mem::take(&mut self.votes).into_iter().partition(|(of, _, _)| *of == number);
        self.votes = later;
        let now: Vec<(u64, u32, Vec<u8>)> = now;
        now.into_iter().map(|(_, from, data)| (from, data)).collect()
    }
}
