//! The connections of a worker as the kernel uses them to check a certificate of which each worker has a share.

use crate::Error;
use crate::links::Links;
use crate::parcel::{pack, unpack};
use kernel::parts::Exchange;
use kernel::{Check, Refusal};

impl Exchange for Links<'_> {
    fn number(&self) -> usize {
        Links::number(self)
    }

    fn peers(&self) -> usize {
        Links::peers(self)
    }

    fn send(&mut self, to: usize, words: &[u64]) -> Check<()> {
        self.send_keys(to, pack(words, 1));
        self.turn();
        while self.is_behind() {
            self.step();
        }
        Ok(())
    }

    fn receive(&mut self, take: &mut dyn FnMut(&[u64])) -> Check<()> {
        self.turn();
        let (mut words, mut is_whole) = (Vec::new(), true);
        self.receive_keys(|data| {
            words.clear();
            is_whole &= unpack(data, 1, &mut words).is_some();
            take(&words);
        });
        if is_whole { Ok(()) } else { Err(broken(&Error::Message)) }
    }

    fn finish(&mut self, take: &mut dyn FnMut(&[u64])) -> Check<()> {
        let mut received = Ok(());
        self.end(|links| {
            let result = links.receive(take);
            received = std::mem::replace(&mut received, Ok(())).and(result);
        });
        received
    }

    fn sum(&mut self, numbers: &mut [u64]) -> Check<()> {
        self.combine(numbers, u64::wrapping_add)
    }

    fn greatest(&mut self, numbers: &mut [u64]) -> Check<()> {
        self.combine(numbers, u64::max)
    }
}

impl Links<'_> {
    fn combine(&mut self, numbers: &mut [u64], with: impl Fn(u64, u64) -> u64) -> Check<()> {
        let all = self.agree(&numbers.to_vec()).map_err(|error| broken(&error))?;
        if all.iter().any(|list| list.len() != numbers.len()) {
            return Err(broken(&Error::Message));
        }
        for (at, number) in numbers.iter_mut().enumerate() {
            *number = all.iter().map(|list| list[at]).fold(0, &with);
        }
        Ok(())
    }
}

fn broken(error: &Error) -> Refusal {
    Refusal::Unknown(error.to_string())
}
