//! F2: verify a transaction-specific code. The command is ours; its byte table is in the README.

use card::digits::Digits;
use card::ftsc::{Card, CardKey, Expected, SubFields, Verdict, verify};

use crate::error::ErrorCode;
use crate::fields::Fields;
use crate::lmk::{KeyType, Lmk};

/// Digits of counters and time blocks.
const COUNTER_LENGTH: usize = 10;
/// Digits of window and tolerance.
const RANGE_LENGTH: usize = 4;

/// The command's fields, as a host writes them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyCommand {
    /// The portfolio's master key as its cryptogram: `U` and 32 digits.
    pub master_key: String,
    /// The card.
    pub card: Card,
    /// The issuer's knowledge of its counter and the time.
    pub expected: Expected,
    /// The digits that the card gave.
    pub received: SubFields,
}

impl VerifyCommand {
    /// The command's code.
    pub const CODE: &'static str = "F2";

    /// The command with its code, without a header. Window and tolerance go up to 9999.
    pub fn text(&self) -> String {
        let Self { master_key, card, expected, received } = self;
        let counted = |digits: &str| format!("{}{digits}", digits.len());
        format!(
            "{code}{master_key}{pan};{sequence}{expiry}{service}{last:010}{window:04}{time:010}{tolerance:04}\
             {tib}{cv}{tcb}{sib}",
            code = Self::CODE,
            pan = card.pan.digits(),
            sequence = card.sequence,
            expiry = card.expiry,
            service = card.service_code,
            last = expected.last_counter,
            window = expected.window,
            time = expected.time,
            tolerance = expected.tolerance,
            tib = counted(&received.tib),
            cv = counted(&received.cv),
            tcb = counted(&received.tcb),
            sib = counted(&received.sib),
        )
    }
}

/// Carries the command out: error code and fields of the response.
pub(crate) fn answer(lmk: &Lmk, mut fields: Fields<'_>) -> Result<Answered, ErrorCode> {
    let master_key = fields.cryptogram()?;
    let card = Card {
        pan: fields.pan()?,
        sequence: fields.digits()?,
        expiry: fields.digits()?,
        service_code: fields.digits()?,
    };
    let expected = Expected {
        last_counter: fields.number(COUNTER_LENGTH)?,
        window: fields.number(RANGE_LENGTH)?,
        time: fields.number(COUNTER_LENGTH)?,
        tolerance: fields.number(RANGE_LENGTH)?,
    };
    let mut next = || fields.counted_digits().map(str::to_owned);
    let received = SubFields { tib: next()?, cv: next()?, tcb: next()?, sib: next()? };
    let trailer = fields.end()?.to_vec();
    let master = lmk.unwrap(&master_key, KeyType::Portfolio)?;
    let verdict = verify(&CardKey::derive(&master, &card), &card, &received, &expected);
    Ok(answered(verdict, trailer))
}

/// An error code, and the fields after it.
pub(crate) struct Answered {
    pub(crate) error: ErrorCode,
    pub(crate) fields: String,
    pub(crate) trailer: Vec<u8>,
}

fn answered(verdict: Verdict, trailer: Vec<u8>) -> Answered {
    let (error, counter, time) = match verdict {
        Verdict::Authentic { counter, time } => (ErrorCode::None, counter, time),
        Verdict::Wrong => (ErrorCode::VerificationFailed, 0, 0),
        Verdict::Replayed { counter } => (ErrorCode::Replayed, counter, 0),
        Verdict::OutsideWindow => (ErrorCode::OutsideWindow, 0, 0),
        Verdict::OutsideTime => (ErrorCode::OutsideTime, 0, 0),
    };
    // Always the same length: a host reads it into a record.
    let fields = format!(
        "{}{}",
        Digits::<COUNTER_LENGTH>::of(counter.into()),
        Digits::<COUNTER_LENGTH>::of(time.into())
    );
    Answered { error, fields, trailer }
}
