//! The card verification value (CVV, CVC): three digits of a cipher over card number, expiry date and service code.

use crate::decimal::decimalised;
use crate::digits::Digits;
use crate::key::{Block, Key, exclusive_or};
use crate::pan::Pan;

/// Digits in the value.
pub const LENGTH: usize = 3;

/// The value on a card's stripe. The expiry date counts as it is given: some issuers compute with MMYY. Service code 000
/// gives the value that is printed on the card (CVV2), 999 the one of a chip (iCVV).
pub fn cvv(key: &Key, pan: &Pan, expiry: Digits<4>, service_code: Digits<3>) -> Digits<LENGTH> {
    let [left, right] = blocks(&format!("{}{expiry}{service_code}", pan.digits()));
    let first = key.first_half();
    let chained = first.encrypt(exclusive_or(first.encrypt(left), right));
    let result = first.encrypt(key.second_half().decrypt(chained));
    // The digits of a block are always as many as asked for, up to 16.
    Digits::parse(&decimalised(result, LENGTH)).unwrap_or(Digits::of(0))
}

/// The data packed at the left end of two blocks, followed by zeros.
fn blocks(digits: &str) -> [Block; 2] {
    let mut blocks = [Block::default(); 2];
    for (place, digit) in digits.bytes().enumerate().take(32) {
        let value = digit - b'0';
        blocks[place / 16][place % 16 / 2] |= if place % 2 == 0 { value << 4 } else { value };
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_test_data() {
        let key = Key::parse("0123456789ABCDEFFEDCBA9876543210").expect("32 digits");
        for (pan, expiry, service_code, expected) in [
            ("4123456789012", "8701", "101", "370"),
            ("4999988887777", "9105", "111", "649"),
            ("4666655554444", "9206", "120", "821"),
            ("4333322221111", "9307", "141", "697"),
            ("4123456789012345", "8701", "101", "561"),
            ("4999988887777000", "9105", "111", "245"),
            ("4666655554444111", "9206", "120", "664"),
            ("4333322221111222", "9307", "141", "382"),
        ] {
            let pan = Pan::new(pan).expect("digits");
            let value = cvv(
                &key,
                &pan,
                Digits::parse(expiry).expect("4 digits"),
                Digits::parse(service_code).expect("3 digits"),
            );
            assert_eq!(value.as_str(), expected, "{pan:?}");
        }
    }
}
