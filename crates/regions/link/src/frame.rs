//! Frames: `length u32 · conversation u32 · kind u8 · flags u8 · health u8 · load u8`, little-endian, then the body.

use crate::ended::{Ended, malformed};
use crate::limits::{FRAME_MAX, HELLO_MAX};

/// Bytes of a head.
pub const HEAD: usize = 12;

/// The message goes on in another frame.
pub const MORE: u8 = 0x01;
/// A reply that is none: its body says why.
pub const FAILED: u8 = 0x02;
/// The sender runs as many tasks as it may.
const AT_MXT: u8 = 0x10;
/// The sender is short on storage.
const SHORT: u8 = 0x20;
/// The sender ends.
const QUIESCING: u8 = 0x40;
/// Flags that have a meaning.
const KNOWN: u8 = MORE | FAILED | AT_MXT | SHORT | QUIESCING;
/// The health of a region that takes all work.
const HEALTHY: u8 = 100;

/// The thing: what a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The first one of each side.
    Hello,
    /// The last one: the sender does not want the link; the body says why.
    Refused,
    /// A request; the conversation's number is the sender's.
    Request,
    /// A reply; the number is that of the request.
    Reply,
    /// The sender no longer wants the reply to its request.
    Cancel,
    /// The sender lives.
    Beat,
    /// The sender asks nothing more.
    Closing,
}

/// All kinds, by their numbers from 1 on.
const KINDS: [Kind; 7] =
    [Kind::Hello, Kind::Refused, Kind::Request, Kind::Reply, Kind::Cancel, Kind::Beat, Kind::Closing];

impl Kind {
    fn number(self) -> u8 {
        self as u8 + 1
    }

    fn of(number: u8) -> Option<Self> {
        KINDS.get(usize::from(number).checked_sub(1)?).copied()
    }

    /// Bytes that a body of this kind may have.
    fn body_max(self) -> usize {
        match self {
            Self::Hello => HELLO_MAX,
            Self::Refused | Self::Request | Self::Reply => FRAME_MAX,
            Self::Cancel | Self::Beat | Self::Closing => 0,
        }
    }
}

/// The way: how a region is: it rides in every frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vitals {
    /// 0 to 100: how much work it wants.
    pub health: u8,
    /// Tasks / MXT, in 1/255.
    pub load: u8,
    /// It runs as many tasks as it may.
    pub at_mxt: bool,
    /// It is short on storage.
    pub short_on_storage: bool,
    /// It ends.
    pub quiescing: bool,
}

impl Default for Vitals {
    fn default() -> Self {
        Self { health: HEALTHY, load: 0, at_mxt: false, short_on_storage: false, quiescing: false }
    }
}

impl Vitals {
    fn flags(self) -> u8 {
        let flag = |is: bool, flag: u8| if is { flag } else { 0 };
        flag(self.at_mxt, AT_MXT) | flag(self.short_on_storage, SHORT) | flag(self.quiescing, QUIESCING)
    }
}

/// The head of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// The conversation; 0 for frames of the link itself.
    pub conversation: u32,
    /// The thing: what it is.
    pub kind: Kind,
    /// [`MORE`] and [`FAILED`].
    pub flags: u8,
    /// The way: how its sender is.
    pub vitals: Vitals,
}

/// Appends a frame. The body must not be longer than its kind may have.
pub fn put(out: &mut Vec<u8>, head: Head, body: &[u8]) {
    debug_assert!(body.len() <= head.kind.body_max());
    let mut bytes = [0; HEAD];
    bytes[..4].copy_from_slice(&(body.len() as u32).to_le_bytes());
    bytes[4..8].copy_from_slice(&head.conversation.to_le_bytes());
    bytes[8] = head.kind.number();
    bytes[9] = head.flags | head.vitals.flags();
    bytes[10] = head.vitals.health;
    bytes[11] = head.vitals.load;
    out.extend_from_slice(&bytes);
    out.extend_from_slice(body);
}

/// Bytes that have come, as frames.
#[derive(Default)]
pub struct Incoming {
    bytes: Vec<u8>,
    at: usize,
}

impl Incoming {
    /// The place where more bytes are appended. There is room for `count` more.
    pub fn room(&mut self, count: usize) -> &mut Vec<u8> {
        if self.at == self.bytes.len() {
            self.bytes.clear();
        } else {
            drop(self.bytes.drain(..self.at));
        }
        self.at = 0;
        self.bytes.reserve(count);
        &mut self.bytes
    }

    /// Returns true if a frame has begun and is not whole. Call it when [`Self::next`] has given `None`.
    pub fn is_in_frame(&self) -> bool {
        self.at < self.bytes.len()
    }

    /// The next whole frame.
    ///
    /// # Errors
    /// The thing: what comes is no frame.
    pub fn next_frame(&mut self) -> Result<Option<(Head, &[u8])>, Ended> {
        let rest = &self.bytes[self.at..];
        let Some(bytes) = rest.first_chunk::<HEAD>() else { return Ok(None) };
        let (head, length) = head(bytes)?;
        let begin = self.at + HEAD;
        let Some(body) = self.bytes.get(begin..begin + length) else { return Ok(None) };
        self.at = begin + length;
        Ok(Some((head, body)))
    }
}

/// Returns true if these bytes are the head of a Hello with this number.
pub(crate) fn is_hello_of(bytes: &[u8; HEAD], number: u32) -> bool {
    head(bytes).is_ok_and(|(head, _)| head.kind == Kind::Hello && head.conversation == number)
}

fn head(bytes: &[u8; HEAD]) -> Result<(Head, usize), Ended> {
    let [l0, l1, l2, l3, c0, c1, c2, c3, kind, flags, health, load] = *bytes;
    let length = u32::from_le_bytes([l0, l1, l2, l3]) as usize;
    let kind = Kind::of(kind).ok_or_else(|| malformed(format!("a frame of the unknown kind {kind}")))?;
    if length > kind.body_max() {
        let most = kind.body_max();
        return Err(malformed(format!("a frame {kind:?} of {length} bytes, of which {most} are the most")));
    }
    if flags & !KNOWN != 0 || (flags & MORE != 0 && !matches!(kind, Kind::Request | Kind::Reply)) {
        return Err(malformed(format!("a frame {kind:?} with the flags {flags:#04x}")));
    }
    if health > HEALTHY {
        return Err(malformed(format!("a health of {health}")));
    }
    let vitals = Vitals {
        health,
        load,
        at_mxt: flags & AT_MXT != 0,
        short_on_storage: flags & SHORT != 0,
        quiescing: flags & QUIESCING != 0,
    };
    let conversation = u32::from_le_bytes([c0, c1, c2, c3]);
    Ok((Head { conversation, kind, flags: flags & (MORE | FAILED), vitals }, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(conversation: u32) -> Head {
        Head { conversation, kind: Kind::Request, flags: 0, vitals: Vitals::default() }
    }

    #[test]
    fn frames_come_out_as_they_went_in_however_they_are_cut() {
        let vitals = Vitals { health: 40, load: 9, at_mxt: true, short_on_storage: false, quiescing: true };
        let heads = [
            request(1),
            Head { conversation: 7, kind: Kind::Reply, flags: FAILED, vitals },
            Head { conversation: 0, kind: Kind::Beat, flags: 0, vitals },
        ];
        let bodies: [&[u8]; 3] = [b"abc", b"", b""];
        let mut bytes = Vec::new();
        heads.iter().zip(bodies).for_each(|(head, body)| put(&mut bytes, *head, body));
        for size in 1..=bytes.len() {
            let (mut incoming, mut seen) = (Incoming::default(), Vec::new());
            for piece in bytes.chunks(size) {
                incoming.room(piece.len()).extend_from_slice(piece);
                while let Some((head, body)) = incoming.next_frame().expect("frames") {
                    seen.push((head, body.to_vec()));
                }
            }
            let sent: Vec<_> = heads.iter().zip(bodies).map(|(h, b)| (*h, b.to_vec())).collect();
            assert_eq!(seen, sent, "pieces of {size}");
            assert!(!incoming.is_in_frame());
        }
    }

    #[test]
    fn what_is_no_frame_is_refused_by_its_head_alone() {
        let good = {
            let mut bytes = Vec::new();
            put(&mut bytes, request(1), b"");
            bytes
        };
        let table: [(usize, u8, &str); 6] = [
            (3, 0x01, "Request of 16777216 bytes"),
            (8, 0, "unknown kind 0"),
            (8, 8, "unknown kind 8"),
            (8, 255, "unknown kind 255"),
            (9, 0x80, "flags 0x80"),
            (10, 101, "a health of 101"),
        ];
        for (at, byte, what) in table {
            let mut bytes = good.clone();
            bytes[at] = byte;
            let mut incoming = Incoming::default();
            incoming.room(bytes.len()).extend_from_slice(&bytes);
            let refused = incoming.next_frame().expect_err(what);
            assert!(refused.to_string().contains(what), "{refused}");
        }
        let mut beat = good;
        (beat[0], beat[8]) = (1, Kind::Beat.number());
        let mut incoming = Incoming::default();
        incoming.room(beat.len()).extend_from_slice(&beat);
        assert!(incoming.next_frame().is_err(), "a heartbeat has no body");
    }
}
