//! Routines on bytes and text that other compilers bring along, as programs CALL them: CBL_AND, C$JUSTIFY and their kind; and
//! the reasons for which others of them are refused.

use serde::{Deserialize, Serialize};

/// Bits of a byte, each in a byte of its own for X"F4" and X"F5".
pub const BITS: u32 = 8;

/// A routine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Routine {
    /// CBL_AND: bits that are on in both.
    And,
    /// CBL_OR: bits that are on in either.
    Or,
    /// CBL_XOR: bits that differ.
    Xor,
    /// CBL_EQ: bits that are the same.
    Same,
    /// CBL_IMP: bits that are off in the first, or on in the second.
    Implied,
    /// CBL_NIMP: bits that are on in the first, and off in the second.
    NotImplied,
    /// CBL_NOR: bits that are off in both.
    Neither,
    /// CBL_NOT: the other bits.
    Not,
    /// CBL_TOUPPER, C$TOUPPER: capital letters.
    Upper,
    /// CBL_TOLOWER, C$TOLOWER: small letters.
    Lower,
    /// X"F4": eight bytes become the bits of one.
    Pack,
    /// X"F5": the bits of a byte become eight bytes.
    Unpack,
    /// C$JUSTIFY: text moved to the left, to the right or to the middle, as a letter says.
    Justify,
}

/// A name that programs CALL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Called {
    /// A routine.
    Routine(Routine),
    /// A wait of so many nanoseconds for each unit of its argument: C$SLEEP and CBL_OC_NANOSLEEP.
    Wait(i64),
    /// One that is refused: what it does, as the end of a sentence, and what to do instead.
    Refused(&'static str, &'static str),
}

/// Nanoseconds of a second.
const SECOND: i64 = 1_000_000_000;

const FILES: (&str, &str) = (
    "works on files of the machine, which programs do not see",
    "describe a file with SELECT, or use EXEC CICS READ and WRITE",
);
const PROCESSES: (&str, &str) = (
    "starts or ends programs of the machine, which programs here may not",
    "make it a step of a job, or a program that is LINKed to or CALLed",
);
const CONSOLE: (&str, &str) = (
    "works on the screen of a console, which neither a task nor a job has",
    "describe a map with BMS, and SEND and RECEIVE it",
);
const ARGUMENTS: (&str, &str) = (
    "asks how a program was CALLed, which programs here do not know",
    "give the program what it needs to know as an argument",
);
const OTHERS: (&str, &str) = (
    "is a routine of another compiler's runtime, and is not built",
    "docs/compiler.md lists the routines that are there",
);

/// Reads a name that programs CALL, in capital letters; of a literal in hexadecimal its digits after `X"`. `None` for the
/// names of other programs.
pub fn called(name: &str) -> Option<Called> {
    let routine = |routine| Some(Called::Routine(routine));
    match name {
        "CBL_AND" => routine(Routine::And),
        "CBL_OR" => routine(Routine::Or),
        "CBL_XOR" => routine(Routine::Xor),
        "CBL_EQ" => routine(Routine::Same),
        "CBL_IMP" => routine(Routine::Implied),
        "CBL_NIMP" => routine(Routine::NotImplied),
        "CBL_NOR" => routine(Routine::Neither),
        "CBL_NOT" => routine(Routine::Not),
        "CBL_TOUPPER" | "C$TOUPPER" => routine(Routine::Upper),
        "CBL_TOLOWER" | "C$TOLOWER" => routine(Routine::Lower),
        "CBL_XF4" | "X\"F4" => routine(Routine::Pack),
        "CBL_XF5" | "X\"F5" => routine(Routine::Unpack),
        "C$JUSTIFY" => routine(Routine::Justify),
        "C$SLEEP" => Some(Called::Wait(SECOND)),
        "CBL_OC_NANOSLEEP" | "CBL_GC_NANOSLEEP" => Some(Called::Wait(1)),
        _ => refused(name).map(|(what, instead)| Called::Refused(what, instead)),
    }
}

fn refused(name: &str) -> Option<(&'static str, &'static str)> {
    let own = name.strip_prefix("CBL_").or_else(|| name.strip_prefix("C$"));
    let Some(own) = own else {
        return match name {
            "SYSTEM" => Some(PROCESSES),
            "X\"A7" | "X\"AF" | "X\"B0" | "X\"E4" | "X\"E5" | "X\"E6" => Some(CONSOLE),
            _ => name.starts_with("X\"").then_some(OTHERS),
        };
    };
    let has = |words: &[&str]| words.iter().any(|word| own.contains(word));
    Some(if has(&["FILE", "DIR", "COPY", "DELETE", "RENAME"]) {
        FILES
    } else if has(&["SYSTEM", "RUN_UNIT", "FORK", "WAITPID", "THREAD", "EXIT_PROC", "ERROR_PROC"]) {
        PROCESSES
    } else if has(&["SCR", "CSR", "KBD", "MOUSE"]) {
        CONSOLE
    } else if has(&["NARG", "CALLEDBY", "PARAMSIZE"]) {
        ARGUMENTS
    } else {
        OTHERS
    })
}

impl Routine {
    /// Returns true if it has a first operand that it only looks at, in front of the one that it changes.
    pub fn has_source(self) -> bool {
        !matches!(self, Self::Not | Self::Upper | Self::Lower)
    }

    /// Returns true if an argument says how many bytes there are.
    pub fn has_length(self) -> bool {
        !matches!(self, Self::Pack | Self::Unpack | Self::Justify)
    }

    /// Changes `target`, by `source` where the routine has one: as many bytes as the shorter of both.
    pub fn carry_out(self, source: &[u8], target: &mut [u8]) {
        let each = |target: &mut [u8], by: fn(u8, u8) -> u8| {
            target.iter_mut().zip(source).for_each(|(to, from)| *to = by(*from, *to));
        };
        match self {
            Self::And => each(target, |from, to| from & to),
            Self::Or => each(target, |from, to| from | to),
            Self::Xor => each(target, |from, to| from ^ to),
            Self::Same => each(target, |from, to| !(from ^ to)),
            Self::Implied => each(target, |from, to| !from | to),
            Self::NotImplied => each(target, |from, to| from & !to),
            Self::Neither => each(target, |from, to| !(from | to)),
            Self::Not => target.iter_mut().for_each(|byte| *byte = !*byte),
            Self::Upper => target.make_ascii_uppercase(),
            Self::Lower => target.make_ascii_lowercase(),
            Self::Pack => {
                let bits = source.iter().take(BITS as usize).fold(0, |bits, byte| bits << 1 | byte & 1);
                target.iter_mut().take(1).for_each(|byte| *byte = bits);
            }
            Self::Unpack => {
                let bits = source.first().copied().unwrap_or(0);
                let each = target.iter_mut().take(BITS as usize).enumerate();
                each.for_each(|(at, byte)| *byte = bits >> (BITS as usize - 1 - at) & 1);
            }
            Self::Justify => justify(source.first().copied().unwrap_or(b'R'), target),
        }
    }
}

/// Moves the text between its blanks: to the left for L, to the middle for C, else to the right.
fn justify(to: u8, text: &mut [u8]) {
    let is_text = |byte: &u8| *byte != b' ';
    let (Some(first), Some(last)) = (text.iter().position(is_text), text.iter().rposition(is_text)) else {
        return;
    };
    let length = last + 1 - first;
    let room = text.len() - length;
    let at = match to.to_ascii_uppercase() {
        b'L' => 0,
        b'C' => room / 2,
        _ => room,
    };
    text.copy_within(first..=last, at);
    text[..at].fill(b' ');
    text[at + length..].fill(b' ');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(routine: Routine, source: &[u8], target: &[u8], expected: &[u8]) {
        let mut bytes = target.to_vec();
        routine.carry_out(source, &mut bytes);
        assert_eq!(bytes, expected, "{routine:?}");
    }

    #[test]
    fn bits_of_both_operands() {
        let (from, to) = ([0b0011, 0xFF], [0b0101, 0x0F]);
        check(Routine::And, &from, &to, &[0b0001, 0x0F]);
        check(Routine::Or, &from, &to, &[0b0111, 0xFF]);
        check(Routine::Xor, &from, &to, &[0b0110, 0xF0]);
        check(Routine::Same, &from, &to, &[0b1111_1001, 0x0F]);
        check(Routine::Implied, &from, &to, &[0b1111_1101, 0x0F]);
        check(Routine::NotImplied, &from, &to, &[0b0010, 0xF0]);
        check(Routine::Neither, &from, &to, &[0b1111_1000, 0x00]);
        check(Routine::Not, &[], &to, &[0b1111_1010, 0xF0]);
    }

    #[test]
    fn letters_and_bits() {
        check(Routine::Upper, &[], b"aZ\xE4-9", b"AZ\xE4-9");
        check(Routine::Lower, &[], b"aZ\xC4-9", b"az\xC4-9");
        check(Routine::Pack, &[0, 1, 0, 0, 0, 0, 0, 1], &[0], b"A");
        check(Routine::Unpack, b"A", &[9; 9], &[0, 1, 0, 0, 0, 0, 0, 1, 9]);
    }

    #[test]
    fn text_between_blanks() {
        for (to, expected) in [("L", "A B    "), ("R", "    A B"), ("C", "  A B  "), ("x", "    A B")] {
            check(Routine::Justify, to.as_bytes(), b" A B   ", expected.as_bytes());
        }
        check(Routine::Justify, b"C", b"ABC   ", b" ABC  ");
        check(Routine::Justify, b"L", b"   ", b"   ");
        check(Routine::Justify, b"L", b"", b"");
    }

    #[test]
    fn names_are_known_or_refused_with_a_reason() {
        let reason = |name| match called(name) {
            Some(Called::Refused(what, _)) => Some(what),
            _ => None,
        };
        for (name, expected) in [
            ("CBL_CHECK_FILE_EXIST", FILES.0),
            ("C$COPY", FILES.0),
            ("CBL_CREATE_DIR", FILES.0),
            ("SYSTEM", PROCESSES.0),
            ("C$SYSTEM", PROCESSES.0),
            ("CBL_GET_SCR_SIZE", CONSOLE.0),
            ("X\"AF", CONSOLE.0),
            ("C$NARG", ARGUMENTS.0),
            ("X\"91", OTHERS.0),
            ("CBL_GET_OS_INFO", OTHERS.0),
        ] {
            assert_eq!(reason(name), Some(expected), "{name}");
        }
        assert_eq!(called("CBL_XF4"), called("X\"F4"));
        assert_eq!(called("CUSTOMER"), None);
        assert_eq!(called("CBLTDLI"), None);
    }
}
