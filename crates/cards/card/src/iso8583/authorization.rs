//! The authorization request of 137 bytes and its response of 106, length included. Their byte tables are in the
//! README.

use crate::answer::Answer;
use crate::digits::Digits;
use crate::iso8583::message::{IsoError, Message, Part, Problem};
use crate::track2::{self, Track2};

/// Bytes of a request's frame.
pub const REQUEST_LENGTH: usize = 137;
/// Bytes of a response's frame.
pub const RESPONSE_LENGTH: usize = 106;

const REQUEST_TYPE: &[u8; 4] = b"0100";
const RESPONSE_TYPE: &[u8; 4] = b"0110";
/// Purchase of goods, from and to no special account.
const PURCHASE: &str = "000000";
/// Track 2 read from a stripe, whole; whether a PIN can be entered is not said.
const STRIPE_READ: &str = "900";
/// An ordinary sale, card and holder present.
const PRESENT: &str = "00";
/// The approval code of a response without an approval.
const NOT_APPROVED: &str = "      ";
/// The largest internal time that a response can tell.
const MICROSECONDS_MAX: u32 = 999_999;

/// A request by a terminal that has read a stripe. Card number, expiry date and code are in the track.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Amount in the currency's smallest unit.
    pub amount: Digits<12>,
    /// When it was sent: MMDDhhmmss, universal time.
    pub sent: Digits<10>,
    /// The number by which the terminal knows it.
    pub trace: Digits<6>,
    /// The kind of merchant.
    pub merchant_type: Digits<4>,
    /// The card's sequence number.
    pub sequence: Digits<3>,
    /// The stripe. Shorter tracks are filled up with zeros.
    pub track2: Track2,
    /// The number by which everyone on the way knows it.
    pub reference: Digits<12>,
    /// The terminal.
    pub terminal: [u8; 8],
    /// The merchant.
    pub merchant: [u8; 15],
    /// The currency's number: 978 for the euro.
    pub currency: Digits<3>,
}

/// A response to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// The request's amount.
    pub amount: Digits<12>,
    /// The request's time.
    pub sent: Digits<10>,
    /// The request's number.
    pub trace: Digits<6>,
    /// The request's reference.
    pub reference: Digits<12>,
    /// The Authenticator's answer.
    pub answer: Answer,
    /// Microseconds that the Authenticator took.
    pub microseconds: u32,
    /// The request's terminal.
    pub terminal: [u8; 8],
    /// The request's merchant.
    pub merchant: [u8; 15],
    /// The request's currency.
    pub currency: Digits<3>,
}

impl Request {
    /// The request as bytes, after its length.
    pub fn frame(&self) -> Result<Vec<u8>, IsoError> {
        let mut message = Message::new(REQUEST_TYPE);
        let track = format!("{:0<width$}", self.track2.text(), width = track2::LENGTH_MAX);
        for (number, text) in [
            (3, PURCHASE),
            (4, self.amount.as_str()),
            (7, self.sent.as_str()),
            (11, self.trace.as_str()),
            (18, self.merchant_type.as_str()),
            (22, STRIPE_READ),
            (23, self.sequence.as_str()),
            (25, PRESENT),
            (35, &track),
            (37, self.reference.as_str()),
            (49, self.currency.as_str()),
        ] {
            message.set(number, text)?;
        }
        message.set(41, self.terminal)?;
        message.set(42, self.merchant)?;
        Ok(message.frame())
    }

    /// Reads a request from a message.
    pub fn read(message: &Message) -> Result<Self, IsoError> {
        expect_type(message, REQUEST_TYPE)?;
        let track = message.text(35)?;
        let track2 = Track2::parse(track).map_err(|error| IsoError {
            part: Part::Field(35),
            at: 0,
            problem: Problem::Character(error.at),
        })?;
        Ok(Self {
            amount: digits(message, 4)?,
            sent: digits(message, 7)?,
            trace: digits(message, 11)?,
            merchant_type: digits(message, 18)?,
            sequence: digits(message, 23)?,
            track2,
            reference: digits(message, 37)?,
            terminal: bytes(message, 41)?,
            merchant: bytes(message, 42)?,
            currency: digits(message, 49)?,
        })
    }

    /// The response to this request.
    pub fn response(&self, answer: Answer, microseconds: u32) -> Response {
        Response {
            amount: self.amount,
            sent: self.sent,
            trace: self.trace,
            reference: self.reference,
            answer,
            microseconds,
            terminal: self.terminal,
            merchant: self.merchant,
            currency: self.currency,
        }
    }
}

impl Response {
    /// The response as bytes, after its length.
    pub fn frame(&self) -> Result<Vec<u8>, IsoError> {
        let mut message = Message::new(RESPONSE_TYPE);
        let approved = self.answer == Answer::Authentic;
        let private =
            format!("{:03}{:06}", self.answer.return_code(), self.microseconds.min(MICROSECONDS_MAX));
        for (number, text) in [
            (3, PURCHASE),
            (4, self.amount.as_str()),
            (7, self.sent.as_str()),
            (11, self.trace.as_str()),
            (37, self.reference.as_str()),
            (38, if approved { self.trace.as_str() } else { NOT_APPROVED }),
            (39, self.answer.response_code()),
            (48, &private),
            (49, self.currency.as_str()),
        ] {
            message.set(number, text)?;
        }
        message.set(41, self.terminal)?;
        message.set(42, self.merchant)?;
        Ok(message.frame())
    }

    /// Reads a response from a message.
    pub fn read(message: &Message) -> Result<Self, IsoError> {
        expect_type(message, RESPONSE_TYPE)?;
        let unexpected = |number| IsoError { part: Part::Field(number), at: 0, problem: Problem::Unexpected };
        let private: Digits<9> = digits(message, 48)?;
        let (code, time) = private.as_str().split_at(3);
        let number = |text: &str| text.parse::<u32>().map_err(|_| unexpected(48));
        let answer = u16::try_from(number(code)?).ok().and_then(Answer::of_return_code);
        let answer = answer.ok_or(unexpected(48))?;
        if message.text(39)? != answer.response_code() {
            return Err(unexpected(39));
        }
        Ok(Self {
            amount: digits(message, 4)?,
            sent: digits(message, 7)?,
            trace: digits(message, 11)?,
            reference: digits(message, 37)?,
            answer,
            microseconds: number(time)?,
            terminal: bytes(message, 41)?,
            merchant: bytes(message, 42)?,
            currency: digits(message, 49)?,
        })
    }
}

fn expect_type(message: &Message, mti: &[u8; 4]) -> Result<(), IsoError> {
    let error = IsoError { part: Part::Type, at: 0, problem: Problem::Unexpected };
    if message.mti() == mti { Ok(()) } else { Err(error) }
}

fn digits<const N: usize>(message: &Message, number: u8) -> Result<Digits<N>, IsoError> {
    let error = IsoError { part: Part::Field(number), at: 0, problem: Problem::Unexpected };
    Digits::parse(message.text(number)?).ok_or(error)
}

fn bytes<const N: usize>(message: &Message, number: u8) -> Result<[u8; N], IsoError> {
    let error = IsoError { part: Part::Field(number), at: 0, problem: Problem::Missing };
    message.get(number).and_then(|bytes| bytes.try_into().ok()).ok_or(error)
}
