//! The supplied members that are tables of the published interface: EXEC interface block, attention identifiers,
//! attribute constants.

use std::fmt::Write as _;

/// `01 DFHEIBLK` with its fields in order.
pub(super) fn exec_interface_block() -> String {
    let mut text = String::from("       01  DFHEIBLK.\n");
    for [field, picture, offset, ..] in rows::<3>(spec::tables::EIB) {
        if offset != "-" && !field.starts_with('(') {
            entry(&mut text, field, &format!("PIC {picture}"));
        }
    }
    text
}

/// `01 DFHAID` with a one-byte constant for each attention identifier.
pub(super) fn attention_identifiers() -> String {
    let mut text = String::from("       01  DFHAID.\n");
    for [name, value] in rows::<2>(spec::tables::AIDS) {
        constant(&mut text, name, value);
    }
    text
}

/// The attribute constants of BMS programs under a group of that name.
pub(super) fn attributes(group: &str) -> String {
    /// Names for values of the flag byte that a map returns, not values of their own.
    const CONDITIONS: [&str; 2] = ["DFHERASE", "DFHCURSR"];
    let mut text = format!("       01  {group}.\n");
    for [name, value] in rows::<2>(spec::tables::BMSCA) {
        if name == "DFHBMFLG" {
            flag(&mut text, name, &CONDITIONS);
        } else if !CONDITIONS.contains(&name) {
            constant(&mut text, name, value);
        }
    }
    text
}

/// A byte of the published interface as programs of this region hold it.
///
/// Programs are compiled in ASCII and compare these constants with literals of their own (`IF EIBAID = '1'`), so a
/// value that is a character ASCII has is that character; any other value stays the byte it is.
pub fn native_byte(ebcdic: u8) -> u8 {
    const ROWS: [(u8, &[u8]); 12] = [
        (0x40, b" "),
        (0x4b, b".<(+|&"),
        (0x5a, b"!$*);"),
        (0x60, b"-/"),
        (0x6b, b",%_>?"),
        (0x7a, b":#@'=\""),
        (0x81, b"abcdefghi"),
        (0x91, b"jklmnopqr"),
        (0xa2, b"stuvwxyz"),
        (0xc0, b"{ABCDEFGHI"),
        (0xd0, b"}JKLMNOPQR"),
        (0xe2, b"STUVWXYZ"),
    ];
    let digit = (0xf0..=0xf9).contains(&ebcdic).then(|| b'0' + (ebcdic - 0xf0));
    let letter = ROWS.iter().find_map(|(first, row)| row.get(usize::from(ebcdic.checked_sub(*first)?)));
    digit.or(letter.copied()).unwrap_or(ebcdic)
}

/// The first columns of a table's rows.
fn rows<const N: usize>(table: &'static str) -> impl Iterator<Item = [&'static str; N]> {
    table.lines().skip(1).filter_map(|line| {
        let mut columns = line.split('\t');
        let mut row = [""; N];
        for cell in &mut row {
            *cell = columns.next()?;
        }
        Some(row)
    })
}

fn constant(text: &mut String, name: &str, value: &str) {
    if let Ok(value) = u8::from_str_radix(value, 16) {
        entry(text, name, &format!("PIC X VALUE X'{:02X}'", native_byte(value)));
    }
}

fn flag(text: &mut String, name: &str, conditions: &[&str]) {
    entry(text, name, "PIC X VALUE X'00'");
    for [condition, value] in rows::<2>(spec::tables::BMSCA) {
        if conditions.contains(&condition) {
            writeln!(text, "           88  {condition:<16}VALUE X'{value}'.").expect("a String takes all");
        }
    }
}

fn entry(text: &mut String, name: &str, description: &str) {
    writeln!(text, "           02  {name:<16}{description}.").expect("a String takes all");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interface_block_has_its_fields_in_order() {
        let text = exec_interface_block();
        let names: Vec<&str> = text.lines().filter_map(|l| l.split_whitespace().nth(1)).collect();
        assert_eq!(names[..4], ["DFHEIBLK.", "EIBTIME", "EIBDATE", "EIBTRNID"]);
        assert_eq!(names.last(), Some(&"EIBRLDBK"));
    }

    #[test]
    fn constants_are_characters_where_ascii_has_them() {
        for (ebcdic, native) in
            [(0xf1, b'1'), (0x7d, b'\''), (0xc1, b'A'), (0x4c, b'<'), (0x50, b'&'), (0x80, 0x80), (0, 0)]
        {
            assert_eq!(native_byte(ebcdic), native, "{ebcdic:02X}");
        }
    }

    #[test]
    fn a_group_has_each_constant_once() {
        for text in [attributes("DFHBMSCA"), attention_identifiers()] {
            let mut names: Vec<&str> = text.lines().filter_map(|l| l.split_whitespace().nth(1)).collect();
            let all = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), all);
            assert!(text.lines().all(|l| l.len() <= 72));
        }
    }
}
