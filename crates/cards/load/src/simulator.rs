//! Simulated cards: each knows its portfolio's master key, as a card factory does, and makes the messages of a terminal.

use card::digits::{Digits, last_digits};
use card::ftsc::{Card, CardKey, Layout, Moment};
use card::iso8583::{FRAME_LENGTH_MAX, IsoError, PREFIX_LENGTH, Request};
use card::key::Key;
use card::pan::{BIN_LENGTH, Pan};
use card::track2::{Track2, Track2Error};

use crate::kind::Kind;

/// The BIN of no portfolio.
const NO_BIN: &str = "00000000";
/// The length of a message that is cut short.
const SHORT_LENGTH: usize = 60;
/// The offset of a request's amount in its frame.
const AMOUNT_AT: usize = 20;
/// The status that all cards give.
const STATUS: u32 = 0;
/// The sequence number of all cards.
pub(crate) const SEQUENCE: u64 = 1;
/// Grocery stores.
const MERCHANT_TYPE: u64 = 5411;
/// Euro.
const CURRENCY: u64 = 978;

/// The part that all cards of a portfolio share.
pub struct Portfolio {
    /// The master key in clear.
    pub master: Key,
    /// The places of the sub-fields in the discretionary data.
    pub layout: Layout,
}

/// One card.
pub struct SimulatedCard {
    track: Track2,
    /// The counter of the last code it made.
    pub made: u32,
    /// The counter of the last code that was accepted; 0 before the first.
    pub accepted: u32,
}

/// The parts of a message besides its card.
#[derive(Clone, Copy, Debug)]
pub struct Occasion {
    /// The terminal.
    pub terminal: [u8; 8],
    /// The message's number.
    pub number: u64,
    /// When: MMDDhhmmss, universal time.
    pub sent: Digits<10>,
    /// The time block of the card's clock.
    pub time_block: u32,
}

/// A message, ready to be sent.
pub struct Attempt {
    /// Its kind.
    pub kind: Kind,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// The counter in it.
    pub counter: u32,
    /// The reference that its response must carry.
    pub reference: Digits<12>,
}

/// The reason why a card cannot make a code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// Its discretionary data are too short for the layout.
    Layout,
    /// The changed track is not valid.
    Track(Track2Error),
    /// The request cannot be written.
    Message(IsoError),
}

impl SimulatedCard {
    /// A card that has made no code yet, with as much discretionary data as fits its track.
    pub fn new(track: Track2) -> Self {
        Self { track, made: 0, accepted: 0 }
    }

    /// A message of a kind. A replay needs a counter that was accepted; without one a valid message is made.
    pub fn attempt(
        &mut self,
        kind: Kind,
        portfolio: &Portfolio,
        occasion: &Occasion,
    ) -> Result<Attempt, Unfit> {
        let kind = if kind == Kind::Replayed && self.accepted == 0 { Kind::Valid } else { kind };
        let counter = match kind {
            Kind::Replayed => self.accepted,
            Kind::Valid => {
                self.made = self.made.saturating_add(1);
                self.made
            }
            _ => self.made.saturating_add(1),
        };
        let reference = Digits::of(occasion.number);
        let request = Request {
            amount: Digits::of(100 + occasion.number % 10_000),
            sent: occasion.sent,
            trace: Digits::of(occasion.number),
            merchant_type: Digits::of(MERCHANT_TYPE),
            sequence: Digits::of(SEQUENCE),
            track2: self.track_with_code(kind, counter, portfolio, occasion.time_block)?,
            reference,
            terminal: occasion.terminal,
            merchant: *b"SYNCPOINT SHOP ",
            currency: Digits::of(CURRENCY),
        };
        let bytes = changed(kind, request.frame().map_err(Unfit::Message)?);
        Ok(Attempt { kind, bytes, counter, reference })
    }

    fn track_with_code(
        &self,
        kind: Kind,
        counter: u32,
        portfolio: &Portfolio,
        time: u32,
    ) -> Result<Track2, Unfit> {
        let mut track = self.track.clone();
        if kind == Kind::UnknownBin {
            track.pan = without_portfolio(&track.pan);
        }
        let width = Track2::room_behind(&track.pan);
        let carrier = format!("{:0<width$}", track.discretionary());
        let digits = portfolio.code(&track, counter, time, kind == Kind::Wrong, &carrier)?;
        let Track2 { pan, expiry, service_code, .. } = track;
        Track2::new(pan, expiry, service_code, &digits).map_err(Unfit::Track)
    }
}

impl Portfolio {
    /// The code that a card of this portfolio makes for a counter and a time block, written over some digits; with a
    /// wrong digit, if it should not be believed.
    ///
    /// # Errors
    /// There are too few digits for the layout.
    pub fn code(
        &self,
        track: &Track2,
        counter: u32,
        time: u32,
        wrong: bool,
        over: &str,
    ) -> Result<String, Unfit> {
        let card = Card {
            pan: track.pan.clone(),
            sequence: Digits::of(SEQUENCE),
            expiry: track.expiry,
            service_code: track.service_code,
        };
        let key = CardKey::derive(&self.master, &card);
        let mut code = key.issue(&card, &Moment { counter, time, status: STATUS }, &self.layout);
        if wrong {
            let digit = code.cv.bytes().next().map_or(0, |digit| u64::from(digit - b'0'));
            code.cv.replace_range(..1, &last_digits(digit + 1, 1));
        }
        self.layout.write(over, &code).ok_or(Unfit::Layout)
    }
}

/// The same account under the BIN of no portfolio.
fn without_portfolio(pan: &Pan) -> Pan {
    let digits = pan.digits();
    let account = &digits[BIN_LENGTH..digits.len() - 1];
    // As long as a card number was before.
    Pan::with_check_digit(&format!("{NO_BIN}{account}")).unwrap_or_else(|_| pan.clone())
}

/// The frame as a kind wants it.
fn changed(kind: Kind, mut frame: Vec<u8>) -> Vec<u8> {
    match kind {
        Kind::Malformed => frame[AMOUNT_AT..AMOUNT_AT + 4].copy_from_slice(b"MUCH"),
        Kind::Short => frame.truncate(SHORT_LENGTH),
        Kind::Oversized => {
            frame.resize(2 * FRAME_LENGTH_MAX, b'0');
            let length = (frame.len() - PREFIX_LENGTH) as u16;
            frame[..PREFIX_LENGTH].copy_from_slice(&length.to_be_bytes());
        }
        Kind::Silent => frame.clear(),
        Kind::Valid | Kind::Wrong | Kind::Replayed | Kind::UnknownBin => (),
    }
    frame
}

#[cfg(test)]
mod tests {
    use super::*;
    use card::ftsc::{Expected, Verdict, verify};
    use card::iso8583::{Message, REQUEST_LENGTH};

    fn portfolio() -> Portfolio {
        Portfolio {
            master: Key::parse("0123456789ABCDEFFEDCBA9876543210").expect("32 digits"),
            layout: Layout::SAMPLE,
        }
    }

    fn attempt(card: &mut SimulatedCard, kind: Kind) -> Attempt {
        let occasion = Occasion { terminal: *b"T0000001", number: 7, sent: Digits::of(0), time_block: 0 };
        card.attempt(kind, &portfolio(), &occasion).expect("a fit card")
    }

    /// The verdict on a message of an issuer that has accepted a counter.
    fn judge(attempt: &Attempt, last_counter: u32) -> Option<Verdict> {
        let message = Message::decode(attempt.bytes.get(PREFIX_LENGTH..)?).ok()?;
        let track = Request::read(&message).ok()?.track2;
        let received = Layout::SAMPLE.read(track.discretionary())?;
        let Track2 { pan, expiry, service_code, .. } = track;
        let card = Card { pan, sequence: Digits::of(SEQUENCE), expiry, service_code };
        let expected = Expected { last_counter, window: 10, time: 0, tolerance: 0 };
        Some(verify(&CardKey::derive(&portfolio().master, &card), &card, &received, &expected))
    }

    #[test]
    fn every_kind_is_what_its_name_says() {
        let mut card = SimulatedCard::new(Track2::parse("4999990000000015=2712201").expect("a track"));
        let replay = attempt(&mut card, Kind::Replayed);
        assert_eq!((replay.kind, replay.counter), (Kind::Valid, 1), "nothing to replay yet");
        card.accepted = 1;
        let valid = attempt(&mut card, Kind::Valid);
        assert_eq!((valid.bytes.len(), valid.counter), (REQUEST_LENGTH, 2));
        for (kind, expected) in [
            (Kind::Valid, Some(Verdict::Authentic { counter: 3, time: 0 })),
            (Kind::Wrong, Some(Verdict::Wrong)),
            (Kind::Replayed, Some(Verdict::Replayed { counter: 1 })),
            (Kind::UnknownBin, Some(Verdict::Authentic { counter: 4, time: 0 })),
            (Kind::Malformed, None),
            (Kind::Short, None),
            (Kind::Oversized, None),
            (Kind::Silent, None),
        ] {
            assert_eq!(judge(&attempt(&mut card, kind), 2), expected, "{kind:?}");
        }
        assert!(attempt(&mut card, Kind::Oversized).bytes.len() > FRAME_LENGTH_MAX);
        assert!(attempt(&mut card, Kind::Silent).bytes.is_empty());
    }
}
