//! Exchanges of two threads over a unix socket: a request of 200 bytes, and an answer of as many. Through a link, and bare.

use std::cell::RefCell;
use std::future::poll_fn;
use std::os::unix::net::UnixStream as Socket;
use std::rc::Rc;
use std::task::{Poll, Waker};
use std::time::Duration;

use link::carrier::unix;
use link::{Asked, Begin, Hello, Host, Link, Names, Patience, Purpose, Queue, Sessions, Timer, Vitals};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::{Notify, oneshot};
use tokio::task::LocalSet;

use crate::clock::spent;

/// Bytes of a request, and of its answer.
const BYTES: usize = 200;

/// Microseconds of an exchange of this process, which has both ends: so many are in flight, until each has been done so often.
pub(crate) fn through_a_link(in_flight: usize, times: usize) -> f64 {
    per_exchange(in_flight, times, answers_over_a_link, async |socket: Socket, times: usize| {
        let link = Link::connect(begin(socket, Rc::new(Silent)), &hello(in_flight as u32), |_| Ok(())).await;
        let link = link.expect("the other end takes it");
        let sessions = Sessions::new(in_flight as u32, Queue::default());
        sessions.open(in_flight as u32);
        let asks = move || {
            let (link, sessions) = (link.clone(), sessions.clone());
            async move {
                for _ in 0..times {
                    let session = sessions.allocate(Duration::ZERO, true).await.expect("a session for each");
                    let reply = link.request(session, &[1; BYTES]).expect("a link that is there").await;
                    assert_eq!(reply.expect("an answer").len(), BYTES);
                }
            }
        };
        together(in_flight, asks).await;
    })
}

/// The same without a link: frames of a number and 200 bytes, one write for what the tasks of a round have added, an echo that sends
/// back what it has read.
pub(crate) fn bare(in_flight: usize, times: usize) -> f64 {
    per_exchange(in_flight, times, echoes, async |socket: Socket, times: usize| {
        let (source, sink) = asynchronous(socket).into_split();
        let caller = Rc::new(Caller::new(in_flight));
        let (writes, reads) = (Rc::clone(&caller), Rc::clone(&caller));
        let ends = [
            tokio::task::spawn_local(async move { writes.write(sink).await }).abort_handle(),
            tokio::task::spawn_local(async move { reads.read(source).await }).abort_handle(),
        ];
        let numbers = RefCell::new(0..);
        let asks = || {
            let number = numbers.borrow_mut().next().expect("no end");
            let caller = Rc::clone(&caller);
            async move {
                for _ in 0..times {
                    caller.ask(number).await;
                }
            }
        };
        together(in_flight, asks).await;
        ends.iter().for_each(tokio::task::AbortHandle::abort);
    })
}

/// Microseconds of an exchange. The other end lives on a thread of its own.
fn per_exchange<A: Future<Output = ()> + 'static>(
    in_flight: usize,
    times: usize,
    answers: fn(Socket) -> A,
    asks: impl AsyncFnOnce(Socket, usize),
) -> f64 {
    let (one, other) = Socket::pair().expect("a pair of sockets");
    let (stop, stopped) = oneshot::channel::<()>();
    let thread = std::thread::spawn(move || {
        here(async move {
            tokio::select! { () = answers(other) => {}, _ = stopped => {} }
        });
    });
    let seconds = spent(|| here(asks(one, times)));
    drop(stop);
    thread.join().expect("the other end");
    seconds * 1e6 / (in_flight * times) as f64
}

/// Runs a future on this thread.
fn here(future: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    LocalSet::new().block_on(&runtime.expect("an event loop"), future);
}

/// So many tasks, until all are done.
async fn together<A: Future<Output = ()> + 'static>(count: usize, mut task: impl FnMut() -> A) {
    let tasks: Vec<_> = (0..count).map(|_| tokio::task::spawn_local(task())).collect();
    for task in tasks {
        task.await.expect("a task that asks");
    }
}

fn asynchronous(socket: Socket) -> UnixStream {
    socket.set_nonblocking(true).expect("a socket");
    UnixStream::from_std(socket).expect("within an event loop")
}

/// The end of a link that asks: nothing is asked of it.
struct Silent;

impl Host for Silent {
    fn vitals(&self) -> Vitals {
        Vitals::default()
    }

    fn asked(&self, asked: Asked, _: &[u8]) {
        asked.fail("no answer is given here");
    }
}

/// The end that answers.
struct Answers;

impl Host for Answers {
    fn vitals(&self) -> Vitals {
        Vitals::default()
    }

    fn asked(&self, asked: Asked, body: &[u8]) {
        asked.reply(body);
    }
}

fn begin(socket: Socket, host: Rc<dyn Host>) -> Begin {
    let (source, sink) = unix(asynchronous(socket));
    Begin { source, sink, host, clock: Rc::new(Timer::default()), patience: Patience::HERE }
}

fn hello(in_flight: u32) -> Hello {
    Hello {
        applid: "BENCH".into(),
        sysid: "BNCH".into(),
        network: String::new(),
        run: 1,
        log: 1,
        build: "bench".into(),
        user: "BENCH".into(),
        code_page: "037".into(),
        purpose: Purpose::Work,
        sends: in_flight,
        takes: in_flight,
        names: Names::default(),
        traces: false,
        origins: false,
    }
}

/// Requests that the end which answers takes at a time.
const TAKES: u32 = 64;

async fn answers_over_a_link(socket: Socket) {
    let link = Link::accept(begin(socket, Rc::new(Answers)), |_| Ok(hello(TAKES))).await;
    link.expect("the other end wants it").ended().await;
}

/// Bytes of a frame: the number of the request, and its bytes.
const FRAME: usize = size_of::<u32>() + BYTES;
/// Bytes that are read at once.
const READ: usize = 32 << 10;

async fn echoes(socket: Socket) {
    let mut stream = asynchronous(socket);
    let mut bytes = Vec::with_capacity(READ);
    while stream.read_buf(&mut bytes).await.is_ok_and(|count| count > 0) {
        if stream.write_all(&bytes).await.is_err() {
            return;
        }
        bytes.clear();
    }
}

/// The state of one request.
enum Slot {
    Free,
    Asked(Option<Waker>),
    Answered,
}

/// The end that asks.
struct Caller {
    slots: RefCell<Vec<Slot>>,
    out: RefCell<Vec<u8>>,
    called: Notify,
}

impl Caller {
    fn new(in_flight: usize) -> Self {
        let slots = (0..in_flight).map(|_| Slot::Free).collect();
        Self { slots: RefCell::new(slots), out: RefCell::default(), called: Notify::new() }
    }

    async fn ask(&self, number: u32) {
        {
            let mut out = self.out.borrow_mut();
            if out.is_empty() {
                self.called.notify_one();
            }
            out.extend_from_slice(&number.to_le_bytes());
            out.extend_from_slice(&[1; BYTES]);
        }
        let place = number as usize;
        self.slots.borrow_mut()[place] = Slot::Asked(None);
        poll_fn(|context| {
            let slot = &mut self.slots.borrow_mut()[place];
            if matches!(slot, Slot::Answered) {
                *slot = Slot::Free;
                return Poll::Ready(());
            }
            *slot = Slot::Asked(Some(context.waker().clone()));
            Poll::Pending
        })
        .await;
    }

    async fn write(&self, mut sink: OwnedWriteHalf) {
        let mut bytes = Vec::new();
        loop {
            self.called.notified().await;
            std::mem::swap(&mut bytes, &mut *self.out.borrow_mut());
            sink.write_all(&bytes).await.expect("the other end reads");
            bytes.clear();
        }
    }

    async fn read(&self, mut source: OwnedReadHalf) {
        let mut bytes = Vec::with_capacity(READ);
        while source.read_buf(&mut bytes).await.is_ok_and(|count| count > 0) {
            let mut slots = self.slots.borrow_mut();
            let whole = bytes.len() - bytes.len() % FRAME;
            for frame in bytes[..whole].chunks_exact(FRAME) {
                let (number, _) = frame.split_first_chunk().expect("a frame");
                let slot = &mut slots[u32::from_le_bytes(*number) as usize];
                if let Slot::Asked(Some(waker)) = std::mem::replace(slot, Slot::Answered) {
                    waker.wake();
                }
            }
            drop(bytes.drain(..whole));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_exchange_what_they_should() {
        for measured in [through_a_link(8, 20), bare(8, 20)] {
            assert!(measured > 0.0);
        }
    }
}
