//! SELECT and SELECTEX: which of many sockets can go on.
//!
//! A mask has a bit for each socket of the task: socket 0 is the rightmost of the first fullword. One system call looks
//! at all of them; only if none can go on are they registered, and looked at again when one of them has news.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use domains::events::Events;
use kernel::storage::StorageAddress;
use kernel::task::WaitKind;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::{Reply, SocketCall, wait};
use crate::arguments::{Arguments, Done};
use crate::errno::Errno;
use crate::handover::Gift;
use crate::limits::TASK_SOCKETS_MAX;
use crate::socket::{Direction, Registration, Socket};
use crate::task::TaskSockets;

/// The places of the masks that are sent; the masks that come back follow them.
const MASKS: [usize; 3] = [3, 4, 5];
/// The distance from a mask that is sent to the one that comes back.
const BACK: usize = 3;

/// The place of the event control area of SELECTEX.
const CONTROL_AREA: usize = 9;

/// A socket with the events that are asked of it, and those that it has.
struct Asked {
    number: u16,
    socket: Arc<Socket>,
    gift: Option<Arc<Gift>>,
    /// Read, write, exception.
    asked: [bool; 3],
    ready: [bool; 3],
}

/// SELECT: MAXSOC, TIMEOUT, three masks, three masks that come back.
pub(super) fn select(call: SocketCall<'_>) -> Done<Reply<'_>> {
    run(call, None)
}

/// SELECTEX: like SELECT; an event control area after the masks ends the wait, too.
pub(super) fn select_ex(call: SocketCall<'_>) -> Done<Reply<'_>> {
    let area = call.arguments.place(CONTROL_AREA)?;
    run(call, Some(area))
}

fn run(mut call: SocketCall<'_>, area: Option<StorageAddress>) -> Done<Reply<'_>> {
    let arguments = call.arguments;
    let count = usize::try_from(arguments.fullword(1)?).ok().filter(|n| (1..=TASK_SOCKETS_MAX).contains(n));
    let count = count.ok_or(Errno::SELECT_SIZE)?;
    let limit = timeout(&arguments)?;
    let mut asked = asked(&arguments, call.sockets(), count)?;
    let ready = look(&mut asked)?;
    if ready > 0 || limit == Some(Duration::ZERO) || is_posted(&call, area)? {
        return Ok(Reply::Done(answer(&arguments, &asked, count)?));
    }
    Ok(Reply::waits(async move {
        let news = until_ready(&mut asked);
        let posted = async {
            match area {
                None => std::future::pending().await,
                Some(address) => {
                    Events::of(&call.task.region).wait(&[address], || is_posted(&call, area)).await
                }
            }
        };
        let any = async {
            tokio::select! {
                result = news => result,
                result = posted => result,
            }
        };
        let any = async {
            match limit {
                None => any.await,
                Some(limit) => tokio::time::timeout(limit, any).await.unwrap_or(Ok(())),
            }
        };
        wait(call.task, WaitKind::SOCKET_WORK, any).await??;
        answer(&arguments, &asked, count)
    }))
}

/// The longest time to wait; `None`: no limit.
fn timeout(arguments: &Arguments<'_>) -> Done<Option<Duration>> {
    let time = arguments.bytes(2, 8)?;
    let word = |at: usize| i32::from_be_bytes([time[at], time[at + 1], time[at + 2], time[at + 3]]);
    Ok(match (u64::try_from(word(0)), u64::try_from(word(4))) {
        (Ok(seconds), Ok(micros)) => Some(Duration::from_secs(seconds) + Duration::from_micros(micros)),
        _ => None,
    })
}

/// Bytes of a mask for this many sockets.
fn mask_length(count: usize) -> usize {
    count.div_ceil(32) * 4
}

/// The place of a socket's bit: its byte, and its value there.
fn bit(number: usize) -> (usize, u8) {
    let word = number / 32;
    let within = number % 32;
    (word * 4 + 3 - within / 8, 1 << (within % 8))
}

/// The sockets that the masks name.
fn asked(arguments: &Arguments<'_>, sockets: &mut TaskSockets, count: usize) -> Done<Vec<Asked>> {
    let mut masks = Vec::with_capacity(MASKS.len());
    for at in MASKS {
        masks.push(if arguments.has(at) {
            arguments.bytes(at, mask_length(count))?.to_vec()
        } else {
            Vec::new()
        });
    }
    let mut all = Vec::new();
    for number in 0..count {
        let (byte, value) = bit(number);
        let asked = [0, 1, 2].map(|mask: usize| masks[mask].get(byte).is_some_and(|byte| byte & value != 0));
        if asked.contains(&true) {
            let entry = sockets.get(number as u16)?;
            let (socket, gift) = (Arc::clone(&entry.socket), entry.gift.clone());
            all.push(Asked { number: number as u16, socket, gift, asked, ready: [false; 3] });
        }
    }
    Ok(all)
}

/// Looks at all sockets; returns the number of bits that come back.
fn look(all: &mut [Asked]) -> Done<usize> {
    let flags = |asked: &[bool; 3]| {
        let mut flags = PollFlags::empty();
        flags.set(PollFlags::IN, asked[0]);
        flags.set(PollFlags::OUT, asked[1]);
        flags.set(PollFlags::PRI, asked[2]);
        flags
    };
    let mut polled: Vec<_> =
        all.iter().map(|one| PollFd::from_borrowed_fd(one.socket.fd(), flags(&one.asked))).collect();
    poll(&mut polled, Some(&Timespec { tv_sec: 0, tv_nsec: 0 }))?;
    let told: Vec<_> = polled.iter().map(PollFd::revents).collect();
    let mut ready = 0;
    for (one, told) in all.iter_mut().zip(told) {
        let ended = told.intersects(PollFlags::HUP | PollFlags::ERR);
        // A socket that was given and taken is an exception, and nothing else any more.
        let taken = one.gift.as_ref().is_some_and(|gift| gift.is_taken());
        let is = [told.contains(PollFlags::IN) || ended, told.contains(PollFlags::OUT) || ended];
        one.ready = [
            one.asked[0] && is[0] && !taken,
            one.asked[1] && is[1] && !taken,
            one.asked[2] && (taken || told.contains(PollFlags::PRI)),
        ];
        ready += one.ready.iter().filter(|ready| **ready).count();
    }
    Ok(ready)
}

/// Waits until one of the sockets can go on.
async fn until_ready(all: &mut [Asked]) -> Done {
    let mut registered: Vec<(Direction, Arc<Registration>)> = Vec::new();
    for one in all.iter() {
        // An exception shows as something to read.
        for (asked, direction) in one.asked.iter().zip([Direction::Read, Direction::Write, Direction::Read]) {
            if *asked {
                registered.push((direction, one.socket.registered(direction)?));
            }
        }
    }
    loop {
        news(all, &registered).await;
        for (direction, registration) in &registered {
            registration.forget(*direction);
        }
        if look(all)? > 0 {
            return Ok(());
        }
    }
}

/// Waits until the event loop has news of one of the sockets, or one of them was taken.
async fn news(all: &[Asked], registered: &[(Direction, Arc<Registration>)]) {
    let given = all.iter().filter(|one| one.asked[2]).filter_map(|one| one.gift.as_deref());
    let mut taken: Vec<Pin<Box<_>>> = given.map(|gift| Box::pin(gift.taken())).collect();
    poll_fn(|context| {
        let mut any = false;
        for (direction, registration) in registered {
            any |= registration.poll_news(*direction, context);
        }
        for taken in &mut taken {
            any |= taken.as_mut().poll(context).is_ready();
        }
        if any { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}

/// Writes the masks that come back; returns the number of their bits.
fn answer(arguments: &Arguments<'_>, all: &[Asked], count: usize) -> Done<i64> {
    let mut ready = 0;
    for (index, at) in MASKS.iter().enumerate() {
        let mut mask = vec![0; mask_length(count)];
        for one in all.iter().filter(|one| one.ready[index]) {
            let (byte, value) = bit(one.number.into());
            mask[byte] |= value;
            ready += 1;
        }
        if arguments.has(at + BACK) {
            arguments.put(at + BACK, &mask)?;
        }
    }
    Ok(ready)
}

/// Returns true if an event control area says that its event has come.
fn is_posted(call: &SocketCall<'_>, area: Option<StorageAddress>) -> Done<bool> {
    const POSTED: u8 = 0x40;
    let Some(area) = area else { return Ok(false) };
    let mut first = [0];
    // A shared area is in the region, and a program's own area in its storage.
    if !call.task.region.read_shared(area, &mut first) {
        first = call.arguments.array(CONTROL_AREA)?;
    }
    Ok(first[0] & POSTED != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn socket_0_is_the_rightmost_bit_of_the_first_fullword() {
        assert_eq!([0, 7, 8, 31, 32].map(bit), [(3, 1), (3, 0x80), (2, 1), (0, 0x80), (7, 1)]);
        assert_eq!([1, 32, 33].map(mask_length), [4, 4, 8]);
    }
}
