//! Helpers of the tests of links: a region of a few lines, and two ends in memory.
#![allow(dead_code, reason = "each test uses some of it")]

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use link::{Asked, Begin, Clock, Ended, Hello, Host, Link, Names, Patience, Purpose, Timer, Vitals};
use tokio::io::{AsyncRead, AsyncWrite};

/// A region that answers each request with its body in capitals, at once.
#[derive(Default)]
pub struct Echo {
    pub vitals: Cell<Vitals>,
    pub closing: Cell<bool>,
    /// Requests that begin with `wait` are kept here.
    pub kept: RefCell<Vec<Asked>>,
}

impl Host for Echo {
    fn vitals(&self) -> Vitals {
        self.vitals.get()
    }

    fn asked(&self, asked: Asked, body: &[u8]) {
        if body.starts_with(b"wait") {
            return self.kept.borrow_mut().push(asked);
        }
        asked.reply(&body.to_ascii_uppercase());
    }

    fn closing(&self) {
        self.closing.set(true);
    }
}

/// The thing: what a region says of itself, with so many requests in flight.
pub fn hello(applid: &str, in_flight: u32) -> Hello {
    Hello {
        applid: applid.into(),
        sysid: applid.chars().rev().take(4).collect(),
        network: "NET".into(),
        run: 1,
        log: 1,
        build: "build".into(),
        user: "SYNCPNT".into(),
        code_page: "037".into(),
        purpose: Purpose::Life,
        sends: in_flight,
        takes: in_flight,
        names: Names::default(),
        traces: false,
        origins: false,
    }
}

pub fn begin(
    stream: impl AsyncRead + AsyncWrite + 'static,
    host: Rc<dyn Host>,
    clock: Rc<dyn Clock>,
    patience: Patience,
) -> Begin {
    let (source, sink) = link::carrier::other(stream);
    Begin { source, sink, host, clock, patience }
}

pub fn timer() -> Rc<dyn Clock> {
    Rc::new(Timer::default())
}

/// A link between two such regions, in memory: the asker's end and the owner's.
pub async fn linked(asker: Rc<dyn Host>, owner: Rc<dyn Host>, in_flight: u32) -> (Link, Link) {
    let (one, other) = tokio::io::duplex(1 << 20);
    let asks = begin(one, asker, timer(), Patience::HERE);
    let owns = begin(other, owner, timer(), Patience::HERE);
    let (ours, theirs) = (hello("REGA", in_flight), hello("REGB", in_flight));
    let (asks, owns) =
        tokio::join!(Link::connect(asks, &ours, |_| Ok(())), Link::accept(owns, |_| Ok(theirs)));
    (asks.expect("a link"), owns.expect("a link"))
}

/// Runs a test on one thread.
pub async fn here<T>(test: impl Future<Output = T>) -> T {
    tokio::task::LocalSet::new().run_until(test).await
}

/// The reason for which a link has ended, as text.
pub fn told(ended: &Ended) -> String {
    ended.to_string()
}
