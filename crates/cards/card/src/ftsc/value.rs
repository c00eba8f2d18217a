//! The key of a card and the digits it makes.

use std::fmt;

use crate::decimal::decimalised;
use crate::digits::{Digits, last_digits, packed};
use crate::ftsc::{Layout, SubFields};
use crate::key::{Block, Key};
use crate::mac::{Padding, retail_mac};
use crate::pan::Pan;

/// The first byte of every text that is authenticated: which edition of the README's definition it follows.
const EDITION: u8 = 1;
/// Bytes of that text.
const TEXT_LENGTH: usize = 25;

/// The identity of a card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Card {
    /// The card number.
    pub pan: Pan,
    /// The sequence number: which of the cards with this number.
    pub sequence: Digits<2>,
    /// The expiry date, YYMM.
    pub expiry: Digits<4>,
    /// The service code.
    pub service_code: Digits<3>,
}

/// The values that differ from one transaction of a card to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moment {
    /// The card's transaction counter: 1 for its first transaction.
    pub counter: u32,
    /// The time block: time units since the portfolio's beginning of time; 0 for a card without a clock.
    pub time: u32,
    /// The status that the card reports: 0, or 1 if it has seen the holder's PIN; other numbers are the issuer's.
    pub status: u32,
}

/// The key that one card holds. It prints as its check value.
pub struct CardKey(Key);

impl CardKey {
    /// Derives a card's key from its portfolio's master key: the last 16 digits of card number and sequence number,
    /// packed, encrypted; then the same with all bits inverted; then odd parity. (EMV Book 2, annex A1.4.1, option A.)
    pub fn derive(master: &Key, card: &Card) -> Self {
        let diversifier: Block = packed(&format!("{}{}", card.pan.digits(), card.sequence));
        let cipher = master.cipher();
        let mut bytes = [0; Key::LENGTH];
        bytes[..8].copy_from_slice(&cipher.encrypt(diversifier));
        bytes[8..].copy_from_slice(&cipher.encrypt(diversifier.map(|byte| !byte)));
        Self(Key::new(bytes).with_odd_parity())
    }

    /// The key's check value.
    pub fn check_value(&self) -> String {
        self.0.check_value()
    }

    /// The code value: the first `length` decimal digits of the retail MAC over card and moment.
    pub fn code_value(&self, card: &Card, moment: &Moment, length: usize) -> String {
        decimalised(retail_mac(&self.0, &text(card, moment), Padding::OneThenZeros), length)
    }

    /// All sub-fields of a code for one moment, as long as a layout wants them.
    pub fn issue(&self, card: &Card, moment: &Moment, layout: &Layout) -> SubFields {
        // A sub-field that is left out is 0 for the MAC too: the verifier cannot know it.
        let moment = Moment {
            time: if layout.tib.length == 0 { 0 } else { moment.time },
            status: if layout.sib.length == 0 { 0 } else { moment.status },
            ..*moment
        };
        SubFields {
            tib: last_digits(moment.time.into(), layout.tib.length),
            cv: self.code_value(card, &moment, layout.cv.length),
            tcb: last_digits(moment.counter.into(), layout.tcb.length),
            sib: last_digits(moment.status.into(), layout.sib.length),
        }
    }
}

impl fmt::Debug for CardKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Card{:?}", self.0)
    }
}

/// The text that is authenticated; its byte table is in the README.
fn text(card: &Card, moment: &Moment) -> [u8; TEXT_LENGTH] {
    let mut text = [0; TEXT_LENGTH];
    text[0] = EDITION;
    text[1..11].copy_from_slice(&card.pan.packed::<10>());
    text[11..12].copy_from_slice(&packed::<1>(card.sequence.as_str()));
    text[12..14].copy_from_slice(&packed::<2>(card.expiry.as_str()));
    text[14..16].copy_from_slice(&packed::<2>(card.service_code.as_str()));
    text[16..20].copy_from_slice(&moment.counter.to_be_bytes());
    text[20..24].copy_from_slice(&moment.time.to_be_bytes());
    // At most nine digits go into the block, and of those one byte tells enough.
    text[24] = (moment.status % 256) as u8;
    text
}
