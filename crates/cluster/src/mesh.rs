//! Connects each process of a cluster to each other one.
//!
//! A process connects to the processes with smaller numbers, and the others connect to it. Connections come from
//! anywhere: each has a time limit and a thread of its own, of which there is a bounded number, and is dropped if it
//! does not show the key. If there are too many, the oldest is dropped, because honest handshakes take milliseconds. A
//! process that was dropped tries again. When all processes are connected, the port is closed.
//!
//! After the handshake both sides say hello: run, version, model, and number must fit.

use crate::key::{Key, NAME, OTHER_KEY};
use crate::tunnel::{Traffic, Tunnel};
use rustls::pki_types::ServerName;
use rustls::{ClientConnection, Connection, ServerConnection, Stream};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use socket2::{SockRef, TcpKeepalive};
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Scope};
use std::time::Duration;

/// The unit of all time limits here.
const TICK: Duration = Duration::from_millis(100);
/// Ticks that a handshake may take.
const HANDSHAKE: u64 = 50;
/// Handshakes at the same time. Beyond it, the oldest is dropped.
const MOST: usize = 64;
/// Time between two attempts to connect.
const AGAIN: Duration = Duration::from_millis(200);
/// Time between two looks at the port.
const LOOK: Duration = Duration::from_millis(5);
/// Time that a connection attempt may take.
const CONNECT: Duration = Duration::from_secs(3);
/// Time after which a connection without any answer counts as broken.
const SILENCE: Duration = Duration::from_secs(40);
/// Maximum length of a hello.
const HELLO: usize = 1 << 14;

/// What a process says about itself.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Hello {
    /// The name of the run. Processes of other runs are not connected.
    pub run: String,
    /// The version of the program.
    pub version: String,
    /// Stands for the model and the question.
    pub model: String,
    /// Number of processes.
    pub processes: usize,
    /// The number of this process, from 0.
    pub number: usize,
}

/// Why a process is not connected to all others.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum MeshError {
    /// Some processes did not connect in time.
    #[error("not connected to {}: {last}", list(missing))]
    Missing {
        /// The numbers of these processes.
        missing: Vec<usize>,
        /// The last thing that went wrong.
        last: String,
    },
    /// A process of the same run has another version, model, question or key.
    #[error("{0}")]
    Misfit(String),
}

fn list(numbers: &[usize]) -> String {
    let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    format!("process {}", numbers.join(", "))
}

/// A process that is about to be connected.
#[derive(Debug)]
pub struct Member<'a> {
    /// The key of the cluster.
    pub key: &'a Key,
    /// What this process says.
    pub hello: &'a Hello,
    /// `host:port` of each process.
    pub addresses: &'a [String],
    /// Tenths of a second to wait for the others.
    pub patience: u64,
    /// Counts the bytes on the network.
    pub traffic: &'a Arc<Traffic>,
    /// Gets the number of a process when the connection to it breaks.
    pub lost: &'a Sender<usize>,
}

/// The answer to a hello.
#[derive(Serialize, Deserialize)]
struct Answer {
    hello: Hello,
    refused: Option<String>,
}

/// Why a handshake failed.
enum Failed {
    /// A connection broke, or showed no key.
    Broken(io::Error),
    /// The other side is not of this run.
    Dropped(String),
    /// The other side is of this run, and does not fit.
    Misfit(String),
}

impl From<io::Error> for Failed {
    fn from(error: io::Error) -> Self {
        Failed::Broken(error)
    }
}

#[derive(Default)]
struct State {
    tunnels: Vec<Option<Tunnel>>,
    misfit: Option<String>,
    /// What a process of another run has said.
    foreign: Option<String>,
    last: Option<String>,
    /// Handshakes that go on: a number, the tick of their beginning, and the socket.
    pending: Vec<(u64, u64, TcpStream)>,
    next: u64,
    tick: u64,
    /// Number of threads with handshakes.
    threads: usize,
    is_over: bool,
}

struct Mesh<'a> {
    member: &'a Member<'a>,
    state: Mutex<State>,
    changed: Condvar,
}

/// Connects this process to all others. The entry of this process is `None`.
///
/// # Errors
/// If some process does not connect in time, or does not fit.
pub fn connect(listener: &TcpListener, member: &Member<'_>) -> Result<Vec<Option<Tunnel>>, MeshError> {
    let own = member.hello.number;
    let state = State { tunnels: (0..member.hello.processes).map(|_| None).collect(), ..State::default() };
    let mesh = Mesh { member, state: Mutex::new(state), changed: Condvar::new() };
    let missing = thread::scope(|scope| {
        scope.spawn(|| mesh.accept(listener, scope));
        for peer in 0..own {
            let mesh = &mesh;
            scope.spawn(move || mesh.reach(peer));
        }
        mesh.wait()
    });
    let state = mesh.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    match (state.misfit, missing.is_empty()) {
        (Some(misfit), _) => Err(MeshError::Misfit(misfit)),
        (None, true) => Ok(state.tunnels),
        (None, false) => {
            let last = state.foreign.or(state.last).unwrap_or_else(|| "it does not answer".to_owned());
            Err(MeshError::Missing { missing, last })
        }
    }
}

impl Mesh<'_> {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until all processes are connected, or it is too late. Returns the missing ones.
    fn wait(&self) -> Vec<usize> {
        let mut state = self.state();
        loop {
            let own = self.member.hello.number;
            let missing: Vec<usize> =
                (0..state.tunnels.len()).filter(|&peer| peer != own && state.tunnels[peer].is_none()).collect();
            if missing.is_empty() || state.misfit.is_some() || state.tick >= self.member.patience {
                state.is_over = true;
                state.drop_pending(u64::MAX);
                return missing;
            }
            let (next, timeout) = self.changed.wait_timeout(state, TICK).unwrap_or_else(PoisonError::into_inner);
            state = next;
            if timeout.timed_out() {
                state.tick += 1;
                let late = state.tick.saturating_sub(HANDSHAKE);
                state.drop_pending(late);
            }
        }
    }

    /// Accepts connections.
    fn accept<'s>(&'s self, listener: &TcpListener, scope: &'s Scope<'s, '_>) {
        if listener.set_nonblocking(true).is_err() {
            return;
        }
        loop {
            let accepted = listener.accept();
            if self.state().is_over {
                return;
            }
            match accepted {
                Ok((socket, _)) => {
                    if let Some(id) = self.admit(&socket) {
                        scope.spawn(move || {
                            self.handshake(id, || self.serve(socket));
                            self.state().threads -= 1;
                        });
                    }
                }
                Err(_) => thread::sleep(LOOK),
            }
        }
    }

    /// Registers a handshake. Returns its number, or `None` if there are too many.
    fn admit(&self, socket: &TcpStream) -> Option<u64> {
        let mut state = self.state();
        if state.threads >= MOST {
            if let Some((_, _, oldest)) = state.pending.first() {
                let _ = oldest.shutdown(Shutdown::Both);
                state.pending.remove(0);
            }
            if state.threads >= 2 * MOST {
                return None;
            }
        }
        state.threads += 1;
        Some(state.register(socket))
    }

    /// Does a handshake, and stores the tunnel.
    fn handshake(&self, id: u64, shake: impl FnOnce() -> Result<(usize, Tunnel), Failed>) -> bool {
        let result = shake();
        let mut state = self.state();
        state.pending.retain(|(other, _, _)| *other != id);
        let is_done = result.is_ok();
        match result {
            Ok((peer, tunnel)) if !state.is_over => state.tunnels[peer] = Some(tunnel),
            Ok(_) => {}
            Err(Failed::Misfit(why)) => state.misfit = state.misfit.take().or(Some(why)),
            Err(Failed::Dropped(why)) => state.foreign = Some(why),
            Err(Failed::Broken(error)) => state.last = Some(error.to_string()),
        }
        self.changed.notify_all();
        is_done
    }

    /// Connects to a process, again and again.
    fn reach(&self, peer: usize) {
        loop {
            if self.state().is_over {
                return;
            }
            match open(&self.member.addresses[peer]) {
                Ok(socket) => {
                    let id = self.state().register(&socket);
                    if self.handshake(id, || self.ask(socket, peer)) {
                        return;
                    }
                }
                Err(error) => self.state().last = Some(format!("{}: {error}", self.member.addresses[peer])),
            }
            thread::sleep(AGAIN);
        }
    }

    /// The side that was called.
    fn serve(&self, mut socket: TcpStream) -> Result<(usize, Tunnel), Failed> {
        prepare(&socket)?;
        let server = Arc::clone(&self.member.key.server);
        let mut tls = ServerConnection::new(server).map_err(io::Error::other)?;
        // The first message completes the handshake.
        let mut stream = Stream::new(&mut tls, &mut socket);
        let theirs: Hello = receive(&mut stream)?;
        let judged = judge(self.member.hello, &theirs, None);
        let refused = match &judged {
            Err(Failed::Dropped(why) | Failed::Misfit(why)) => Some(why.clone()),
            Ok(()) | Err(Failed::Broken(_)) => None,
        };
        send(&mut stream, &Answer { hello: self.member.hello.clone(), refused })?;
        judged?;
        self.tunnel(theirs.number, socket, tls.into())
    }

    /// The side that calls.
    fn ask(&self, mut socket: TcpStream, peer: usize) -> Result<(usize, Tunnel), Failed> {
        prepare(&socket)?;
        let name = ServerName::try_from(NAME).map_err(io::Error::other)?;
        let client = Arc::clone(&self.member.key.client);
        let mut tls = ClientConnection::new(client, name).map_err(io::Error::other)?;
        let mut stream = Stream::new(&mut tls, &mut socket);
        let answered = send(&mut stream, self.member.hello).and_then(|()| receive(&mut stream));
        let answer: Answer = answered.map_err(|error| match is_of_key(&error) {
            true => Failed::Misfit(format!("process {peer} has another key")),
            false => Failed::Broken(error),
        })?;
        judge(self.member.hello, &answer.hello, Some(peer))?;
        match answer.refused {
            Some(why) => Err(Failed::Dropped(why)),
            None => self.tunnel(peer, socket, tls.into()),
        }
    }

    fn tunnel(&self, peer: usize, socket: TcpStream, tls: Connection) -> Result<(usize, Tunnel), Failed> {
        socket.set_read_timeout(None)?;
        socket.set_write_timeout(None)?;
        let (traffic, lost) = (Arc::clone(self.member.traffic), self.member.lost.clone());
        Ok((peer, Tunnel::new(peer, socket, tls, traffic, lost)))
    }
}

impl State {
    fn register(&mut self, socket: &TcpStream) -> u64 {
        self.next += 1;
        if let Ok(socket) = socket.try_clone() {
            if self.is_over {
                let _ = socket.shutdown(Shutdown::Both);
            }
            self.pending.push((self.next, self.tick, socket));
        }
        self.next
    }

    /// Ends handshakes that began before this tick.
    fn drop_pending(&mut self, before: u64) {
        self.pending.retain(|(_, began, socket)| {
            let is_late = *began < before;
            if is_late {
                // The thread of the handshake gets an error.
                let _ = socket.shutdown(Shutdown::Both);
            }
            !is_late
        });
    }
}

/// True if the other side does not have the key of this process. Trying again does not help then.
fn is_of_key(error: &io::Error) -> bool {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
    matches!(inner, Some(rustls::Error::General(why)) if why == OTHER_KEY)
}

fn open(address: &str) -> io::Result<TcpStream> {
    let mut last = io::Error::new(ErrorKind::NotFound, "the name has no address");
    for address in address.to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, CONNECT) {
            Ok(socket) => return Ok(socket),
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// Sets the timeouts of a socket. A machine that vanishes without closing its connections is noticed when it answers no
/// probe of an idle connection, or acknowledges nothing of what was sent to it, for about [`SILENCE`].
fn prepare(socket: &TcpStream) -> io::Result<()> {
    let probes = TcpKeepalive::new().with_time(SILENCE / 2).with_interval(SILENCE / 8).with_retries(4);
    let options = SockRef::from(socket);
    options.set_tcp_keepalive(&probes)?;
    #[cfg(target_os = "linux")]
    options.set_tcp_user_timeout(Some(SILENCE))?;
    let limit = Some(TICK * HANDSHAKE as u32);
    socket.set_nonblocking(false)?;
    socket.set_nodelay(true)?;
    socket.set_read_timeout(limit)?;
    socket.set_write_timeout(limit)
}

fn send<T: Serialize>(stream: &mut impl Write, message: &T) -> io::Result<()> {
    let data = serde_json::to_vec(message)?;
    let length = u32::try_from(data.len()).map_err(io::Error::other)?;
    stream.write_all(&[&length.to_le_bytes()[..], &data].concat())?;
    stream.flush()
}

fn receive<T: DeserializeOwned>(stream: &mut impl Read) -> io::Result<T> {
    let mut length = [0; 4];
    stream.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length) as usize;
    if length > HELLO {
        return Err(io::Error::new(ErrorKind::InvalidData, "this is no hello"));
    }
    let mut data = vec![0; length];
    stream.read_exact(&mut data)?;
    Ok(serde_json::from_slice(&data)?)
}

/// Decides whether another process may take part.
fn judge(mine: &Hello, theirs: &Hello, expected: Option<usize>) -> Result<(), Failed> {
    if theirs.run != mine.run {
        return Err(Failed::Dropped(format!("a process of run `{}` has called, this is `{}`", theirs.run, mine.run)));
    }
    let number = theirs.number;
    let misfit = |what: &str| Err(Failed::Misfit(format!("process {number} has {what}")));
    if theirs.version != mine.version {
        return misfit(&format!("version {}, and this one has {}", theirs.version, mine.version));
    }
    if theirs.model != mine.model {
        return misfit("another model or question");
    }
    if theirs.processes != mine.processes {
        return misfit(&format!("{} processes, and this one has {}", theirs.processes, mine.processes));
    }
    let fits = match expected {
        Some(expected) => number == expected,
        None => number > mine.number && number < mine.processes,
    };
    match fits {
        true => Ok(()),
        false => misfit(&format!("a number that does not fit the list of hosts (this one has {})", mine.number)),
    }
}
