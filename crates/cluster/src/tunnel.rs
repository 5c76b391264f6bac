//! A connection to another process, with TLS inside. Timely uses it like a socket.
//!
//! Timely has two threads for each connection: one that writes and one that reads. They share the state of TLS, which
//! is locked only while bytes are encrypted or decrypted, and never while a thread waits for the network. A reader
//! never writes to the network, so two processes cannot wait for each other.

use rustls::Connection;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use timely::communication::allocator::zero_copy::stream::Stream;

/// Encrypted bytes that are read from the network at once.
const BUFFER: usize = 1 << 16;

/// Bytes on the network, in all connections of a process.
#[derive(Debug, Default)]
pub struct Traffic {
    /// Bytes sent.
    pub sent: AtomicU64,
    /// Bytes received.
    pub received: AtomicU64,
}

/// What the two threads of a connection share.
#[derive(Debug)]
struct Shared {
    peer: usize,
    socket: TcpStream,
    tls: Mutex<Connection>,
    traffic: Arc<Traffic>,
    /// Gets the number of the process when the connection to it breaks.
    lost: Mutex<Sender<usize>>,
}

/// One end of a connection.
#[derive(Debug)]
pub struct Tunnel {
    shared: Arc<Shared>,
    /// Encrypted bytes that were read, from `at` on.
    read: Vec<u8>,
    at: usize,
}

impl Tunnel {
    /// A connection after the handshake.
    pub(crate) fn new(
        peer: usize,
        socket: TcpStream,
        tls: Connection,
        traffic: Arc<Traffic>,
        lost: Sender<usize>,
    ) -> Self {
        let shared = Shared { peer, socket, tls: Mutex::new(tls), traffic, lost: Mutex::new(lost) };
        Self { shared: Arc::new(shared), read: Vec::new(), at: 0 }
    }

    fn tls(&self) -> MutexGuard<'_, Connection> {
        self.shared.tls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reports the connection as lost.
    fn lose(&self, error: io::Error) -> io::Error {
        // The receiver is gone if the process is about to end anyway.
        let _ = self.shared.lost.lock().unwrap_or_else(PoisonError::into_inner).send(self.shared.peer);
        error
    }

    /// Returns decrypted bytes if there are any among those that were read.
    fn decrypted(&mut self, out: &mut [u8]) -> io::Result<Option<usize>> {
        let shared = Arc::clone(&self.shared);
        let mut tls = shared.tls.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            match tls.reader().read(out) {
                Ok(count) => return Ok(Some(count)),
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
            if self.at == self.read.len() {
                return Ok(None);
            }
            self.at += tls.read_tls(&mut &self.read[self.at..])?;
            tls.process_new_packets().map_err(|error| io::Error::new(ErrorKind::InvalidData, error))?;
        }
    }

    fn receive(&mut self, out: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some(count) = self.decrypted(out)? {
                return Ok(count);
            }
            self.read.resize(BUFFER, 0);
            let count = match (&self.shared.socket).read(&mut self.read) {
                Err(error) if error.kind() == ErrorKind::Interrupted => 0,
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                result => result?,
            };
            self.read.truncate(count);
            self.at = 0;
            self.shared.traffic.received.fetch_add(count as u64, Ordering::Relaxed);
        }
    }

    /// Encrypts what `put` gives to TLS, and sends it.
    fn transmit<T>(&self, put: impl FnOnce(&mut Connection) -> io::Result<T>) -> io::Result<T> {
        let mut encrypted = Vec::new();
        let result = {
            let mut tls = self.tls();
            let result = put(&mut tls)?;
            while tls.wants_write() {
                tls.write_tls(&mut encrypted)?;
            }
            result
        };
        (&self.shared.socket).write_all(&encrypted)?;
        self.shared.traffic.sent.fetch_add(encrypted.len() as u64, Ordering::Relaxed);
        Ok(result)
    }
}

impl Read for Tunnel {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.receive(out).map_err(|error| self.lose(error))
    }
}

impl Write for Tunnel {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        self.transmit(|tls| tls.writer().write(data)).map_err(|error| self.lose(error))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Stream for Tunnel {
    fn try_clone(&self) -> io::Result<Self> {
        Ok(Self { shared: Arc::clone(&self.shared), read: Vec::new(), at: 0 })
    }

    fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        self.shared.socket.set_nonblocking(nonblocking)
    }

    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        if how != Shutdown::Read {
            self.transmit(|tls| {
                tls.send_close_notify();
                Ok(())
            })?;
        }
        self.shared.socket.shutdown(how)
    }
}
