//! EIBRCODE: the response code of programs that are older than RESP.
//!
//! Unlike RESP, value and place depend on the kind of command, which the first byte of EIBFN tells. Where these tables
//! have nothing, and for all commands of system programming, the first word is the number of RESP: a program that asks
//! whether EIBRCODE is LOW-VALUES gets its answer for every command.
//!
//! Trust: the rule for system programming is documented; the tables are recalled.

use crate::{Condition, cond};

/// EIBRCODE.
pub type ResponseCode = [u8; 6];

/// A condition's byte and its value.
type Code = (Condition, usize, u8);

/// The tables by the first byte of EIBFN.
const TABLES: [(u8, &[Code]); 11] = [
    (0x02, &[(cond::INVREQ, 0, 0xe0)]),
    (0x04, TERMINAL),
    (0x06, FILE),
    (0x08, TRANSIENT_DATA),
    (0x0a, TEMPORARY_STORAGE),
    (0x0c, &[(cond::LENGERR, 0, 0xe1), (cond::NOSTG, 0, 0xe2)]),
    (0x0e, PROGRAM),
    (0x10, INTERVAL),
    (0x12, &[(cond::ENQBUSY, 0, 0x32), (cond::INVREQ, 0, 0xe0), (cond::LENGERR, 0, 0xe1)]),
    (0x16, &[(cond::ROLLEDBACK, 0, 0x01)]),
    (0x18, MAPS),
];

const TERMINAL: &[Code] = &[
    (cond::EOF, 0, 0x04),
    (cond::EODS, 0, 0x10),
    (cond::ENDINPT, 0, 0xc2),
    (cond::SYSIDERR, 0, 0xd0),
    (cond::INVREQ, 0, 0xe0),
    (cond::LENGERR, 0, 0xe1),
    (cond::WRBRK, 0, 0xe3),
    (cond::RDATT, 0, 0xe4),
    (cond::SIGNAL, 0, 0xe5),
    (cond::TERMIDERR, 0, 0xe6),
    (cond::TERMERR, 0, 0xf1),
    (cond::EOC, 1, 0x20),
    (cond::INBFMH, 1, 0x40),
    (cond::NOSTART, 3, 0xf6),
    (cond::NONVAL, 3, 0xf7),
];

const FILE: &[Code] = &[
    (cond::FILENOTFOUND, 0, 0x01),
    (cond::ILLOGIC, 0, 0x02),
    (cond::INVREQ, 0, 0x08),
    (cond::NOTOPEN, 0, 0x0c),
    (cond::DISABLED, 0, 0x0d),
    (cond::ENDFILE, 0, 0x0f),
    (cond::IOERR, 0, 0x80),
    (cond::NOTFND, 0, 0x81),
    (cond::DUPREC, 0, 0x82),
    (cond::NOSPACE, 0, 0x83),
    (cond::DUPKEY, 0, 0x84),
    (cond::SUPPRESSED, 0, 0x85),
    (cond::LOADING, 0, 0x86),
    (cond::SYSIDERR, 0, 0xd0),
    (cond::ISCINVREQ, 0, 0xd1),
    (cond::NOTAUTH, 0, 0xd6),
    (cond::LENGERR, 0, 0xe1),
];

const TRANSIENT_DATA: &[Code] = &[
    (cond::QZERO, 0, 0x01),
    (cond::QIDERR, 0, 0x02),
    (cond::IOERR, 0, 0x04),
    (cond::NOTOPEN, 0, 0x08),
    (cond::NOSPACE, 0, 0x10),
    (cond::QBUSY, 0, 0xc0),
    (cond::SYSIDERR, 0, 0xd0),
    (cond::ISCINVREQ, 0, 0xd1),
    (cond::NOTAUTH, 0, 0xd6),
    (cond::DISABLED, 0, 0xd7),
    (cond::INVREQ, 0, 0xe0),
    (cond::LENGERR, 0, 0xe1),
];

const TEMPORARY_STORAGE: &[Code] = &[
    (cond::ITEMERR, 0, 0x01),
    (cond::QIDERR, 0, 0x02),
    (cond::IOERR, 0, 0x04),
    (cond::NOSPACE, 0, 0x08),
    (cond::INVREQ, 0, 0x20),
    (cond::SYSIDERR, 0, 0xd0),
    (cond::ISCINVREQ, 0, 0xd1),
    (cond::NOTAUTH, 0, 0xd6),
    (cond::LENGERR, 0, 0xe1),
];

const PROGRAM: &[Code] = &[
    (cond::PGMIDERR, 0, 0x01),
    (cond::NOTAUTH, 0, 0xd6),
    (cond::RESUNAVAIL, 0, 0xd9),
    (cond::CHANNELERR, 0, 0xda),
    (cond::INVREQ, 0, 0xe0),
    (cond::LENGERR, 0, 0xe1),
    (cond::TERMERR, 0, 0xf1),
];

const INTERVAL: &[Code] = &[
    (cond::ENDDATA, 0, 0x01),
    (cond::IOERR, 0, 0x04),
    (cond::TRANSIDERR, 0, 0x11),
    (cond::TERMIDERR, 0, 0x12),
    (cond::EXPIRED, 0, 0x20),
    (cond::NOTFND, 0, 0x81),
    (cond::SYSIDERR, 0, 0xd0),
    (cond::ISCINVREQ, 0, 0xd1),
    (cond::NOTAUTH, 0, 0xd6),
    (cond::USERIDERR, 0, 0xd8),
    (cond::LENGERR, 0, 0xe1),
    (cond::ENVDEFERR, 0, 0xe9),
    (cond::INVREQ, 0, 0xff),
];

const MAPS: &[Code] = &[
    (cond::INVREQ, 0, 0x01),
    (cond::MAPFAIL, 0, 0x04),
    (cond::INVMPSZ, 0, 0x08),
    (cond::WRBRK, 0, 0xe3),
    (cond::RDATT, 0, 0xe4),
];

/// EIBRCODE of a condition that a command has raised. `function`: the first byte of its EIBFN.
pub fn response_code(function: u8, condition: Condition) -> ResponseCode {
    let mut code = ResponseCode::default();
    let table = TABLES.iter().find(|(first, _)| *first == function).map_or(&[][..], |(_, table)| table);
    match table.iter().find(|(known, ..)| *known == condition) {
        Some(&(_, byte, value)) => code[byte] = value,
        None => code[..4].copy_from_slice(&condition.resp().to_be_bytes()),
    }
    code
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn value_and_place_depend_on_the_command() {
        for (function, condition, expected) in [
            (0x06, cond::NOTFND, [0x81, 0, 0, 0, 0, 0]),
            (0x10, cond::NOTFND, [0x81, 0, 0, 0, 0, 0]),
            (0x06, cond::INVREQ, [0x08, 0, 0, 0, 0, 0]),
            (0x10, cond::INVREQ, [0xff, 0, 0, 0, 0, 0]),
            (0x04, cond::EOC, [0, 0x20, 0, 0, 0, 0]),
            // INQUIRE PROGRAM; and a condition that is newer than the use of EIBRCODE.
            (0x4e, cond::PGMIDERR, [0, 0, 0, 27, 0, 0]),
            (0x06, cond::LOCKED, [0, 0, 0, 100, 0, 0]),
        ] {
            assert_eq!(response_code(function, condition), expected, "{function:02x} {}", condition.name());
        }
    }
}
