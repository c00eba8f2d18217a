//! An import batch: a portfolio's cards for the issuer's own system. A header brings the portfolio's master key under a
//! key-encrypting key, a detail is a card, the trailer counts them. The layout is in the README.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use diagnostics::Diagnostic;

use crate::simulator::SEQUENCE;
use crate::tracks::{Wanted, pan, unwritable};

/// The content of the header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The portfolio's name, 4 characters.
    pub portfolio: String,
    /// Its master key under the key-encrypting key: a letter and 32 hexadecimal digits.
    pub key: String,
    /// The key's check value.
    pub check_value: String,
}

/// Writes the batch of all cards that [`crate::tracks::make`] makes.
pub fn write(path: &Path, wanted: &Wanted, header: &Header) -> Result<(), Vec<Diagnostic>> {
    let file = File::create(path).map_err(|error| vec![unwritable(path, &error)])?;
    let mut file = BufWriter::new(file);
    let written = lines(&mut file, wanted, header).and_then(|()| file.flush());
    written.map_err(|error| vec![unwritable(path, &error)])
}

fn lines(file: &mut impl Write, wanted: &Wanted, header: &Header) -> io::Result<()> {
    let Header { portfolio, key, check_value } = header;
    writeln!(file, "H{}{portfolio:<4}{key}{check_value}", wanted.bin)?;
    let cards = (0..wanted.cards).filter_map(|account| pan(wanted, account));
    for pan in cards {
        let digits = pan.digits();
        writeln!(file, "D{digits:<19}{SEQUENCE:02}{}{}", wanted.expiry, wanted.service_code)?;
    }
    writeln!(file, "T{:09}", wanted.cards)
}

#[cfg(test)]
mod tests {
    use card::digits::Digits;
    use expect_test::expect;

    use super::*;

    #[test]
    fn a_header_the_cards_and_their_number() {
        let wanted = Wanted {
            bin: Digits::parse("49999901").expect("8 digits"),
            cards: 2,
            terminals: 1,
            expiry: Digits::parse("3012").expect("4 digits"),
            service_code: Digits::parse("201").expect("3 digits"),
        };
        let header = Header {
            portfolio: "P001".to_owned(),
            key: format!("X{}", "0".repeat(32)),
            check_value: "08D7B4".to_owned(),
        };
        let mut text = Vec::new();
        lines(&mut text, &wanted, &header).expect("a vector takes everything");
        expect![[r#"
            H49999901P001X0000000000000000000000000000000008D7B4
            D4999990100000006   013012201
            D4999990100000014   013012201
            T000000002
        "#]]
        .assert_eq(&String::from_utf8_lossy(&text));
    }
}
