//! A network: what is written at one end comes out at the other one, later, in other pieces, or not at all.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use fastrand::Rng;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio::time::sleep;

/// The thing: what happens to a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Plan {
    /// Nothing.
    Good,
    /// It breaks after so many bytes of both directions.
    Cut(u64),
    /// After so many bytes nothing comes any more, without a sign.
    Silent(u64),
}

/// The thing: what has happened to a connection.
#[derive(Clone)]
pub struct Fate(Rc<Shared>);

struct Shared {
    plan: Plan,
    bytes: Cell<u64>,
    happened: Cell<bool>,
}

impl Fate {
    /// Returns true if it broke or fell silent.
    pub fn is_bad(&self) -> bool {
        self.0.happened.get()
    }
}

/// The two ends of a connection, and what becomes of it.
pub fn wire(random: &mut Rng) -> (DuplexStream, DuplexStream, Fate) {
    let plan = match random.u8(..10) {
        0..=4 => Plan::Good,
        5..=7 => Plan::Cut(random.u64(1..200_000)),
        _ => Plan::Silent(random.u64(1..200_000)),
    };
    let shared = Rc::new(Shared { plan, bytes: Cell::new(0), happened: Cell::new(false) });
    let room = 1 << random.u32(6..17);
    let (one, near) = tokio::io::duplex(room);
    let (far, other) = tokio::io::duplex(room);
    tokio::task::spawn_local(carry(near, far, Rc::clone(&shared), random.fork()));
    (one, other, Fate(shared))
}
/// Carries both directions until one is cut.
async fn carry(near: DuplexStream, far: DuplexStream, shared: Rc<Shared>, mut random: Rng) {
    let (near_in, near_out) = tokio::io::split(near);
    let (far_in, far_out) = tokio::io::split(far);
    let there = one_way(near_in, far_out, &shared, random.fork());
    let back = one_way(far_in, near_out, &shared, random.fork());
    let (mut there, mut back) = (std::pin::pin!(there), std::pin::pin!(back));
    // The end of one direction is the end of it alone, unless the network has cut both.
    let (first, other) = tokio::select! {
        biased;
        cut = &mut there => (cut, true),
        cut = &mut back => (cut, false),
    };
    if !first {
        if other {
            back.await
        } else {
            there.await
        };
    }
}

/// Carries one direction to its end. Returns true if the network has cut it.
async fn one_way(
    mut from: impl AsyncReadExt + Unpin,
    mut to: impl AsyncWriteExt + Unpin,
    shared: &Shared,
    mut random: Rng,
) -> bool {
    let slow = random.u64(0..120);
    loop {
        let mut piece = vec![0; 1 << random.u32(6..16)];
        let Ok(count @ 1..) = from.read(&mut piece).await else {
            let _ = to.shutdown().await;
            return false;
        };
        // A network that takes ten seconds for a frame is none.
        if random.u8(..8) == 0 {
            sleep(Duration::from_millis(random.u64(0..=slow))).await;
        }
        let after = shared.bytes.get() + count as u64;
        shared.bytes.set(after);
        match shared.plan {
            Plan::Cut(at) if after > at => {
                // A part of the piece may still come.
                let part = random.usize(0..count);
                let _ = to.write_all(&piece[..part]).await;
                shared.happened.set(true);
                return true;
            }
            Plan::Silent(at) if after > at => {
                shared.happened.set(true);
                std::future::pending::<()>().await;
            }
            _ => {}
        }
        if to.write_all(&piece[..count]).await.is_err() {
            return false;
        }
    }
}
