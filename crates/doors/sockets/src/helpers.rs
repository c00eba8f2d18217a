//! The programs beside EZASOKET: EZACIC04 and 05 (14, 15) for texts, 06 for masks of SELECT, 08 for HOSTENT, 09 for
//! ADDRINFO.

use std::net::IpAddr;

use ebcdic::CodePage;
use kernel::raise::Raise;

use crate::arguments::{Arguments, Done, Failure};
use crate::limits::{HOST_NAME_MAX, TASK_SOCKETS_MAX, TRANSFER_BYTES_MAX};
use crate::resolver::{ADDRINFO_LENGTH, Host, POINTERS_AT};
use crate::task::TaskSockets;

/// The effect of EZACIC04 and 05 on a program's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Text {
    /// Nothing: programs run in ASCII, the code of their clients.
    #[default]
    Ascii,
    /// Translation by the published tables: for programs that hold EBCDIC data.
    Ebcdic,
}

/// RETURN-CODE of the translating programs.
mod code {
    pub const DONE: i32 = 0;
    pub const PARAMETERS: i32 = 8;
    pub const NO_LENGTH: i32 = 12;
}

/// To which code a text goes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum To {
    /// EZACIC04, EZACIC14.
    Ascii,
    /// EZACIC05, EZACIC15.
    Ebcdic,
}

/// EZACIC04, 05, 14, 15: a buffer and its length, with or without the token of earlier releases before them.
///
/// # Errors
/// ASRA on a bad address.
pub(crate) fn translate(arguments: Arguments<'_>, to: To, text: Text) -> Result<i32, Raise> {
    let (buffer, length) = match arguments.count() {
        2 => (0, 1),
        3 => (1, 2),
        _ => return Ok(code::PARAMETERS),
    };
    // The program's text is sent as it is.
    if text == Text::Ascii {
        return Ok(code::DONE);
    }
    raised((|| {
        let length = usize::try_from(arguments.fullword(length)?).unwrap_or(0).min(TRANSFER_BYTES_MAX);
        if length == 0 {
            return Ok(code::NO_LENGTH);
        }
        let mut bytes = arguments.bytes(buffer, length)?;
        match to {
            To::Ascii => CodePage::Ibm1047.to_program_in_place(&mut bytes),
            To::Ebcdic => CodePage::Ibm1047.from_program_in_place(&mut bytes),
        }
        arguments.put(buffer, &bytes)?;
        Ok(code::DONE)
    })())
}

/// EZACIC06: CTOB or BTOC, bit mask, character mask, its length, RETCODE; with or without a token before them. The first
/// character is socket 0.
///
/// # Errors
/// ASRA on a bad address.
pub(crate) fn masks(arguments: Arguments<'_>) -> Result<i32, Raise> {
    let first = arguments.count().saturating_sub(5).min(1);
    let result = raised((|| {
        let length = usize::try_from(arguments.fullword(first + 3)?).unwrap_or(0);
        if length == 0 || length > TASK_SOCKETS_MAX {
            return Ok(-1);
        }
        let bytes = length.div_ceil(32) * 4;
        match arguments.bytes(first, 4)?.as_slice() {
            b"CTOB" => {
                let characters = arguments.bytes(first + 2, length)?;
                let mut mask = vec![0; bytes];
                for (socket, _) in characters.iter().enumerate().filter(|(_, c)| **c == b'1') {
                    mask[place(socket)] |= 1 << (socket % 8);
                }
                arguments.put(first + 1, &mask)?;
            }
            b"BTOC" => {
                let mask = arguments.bytes(first + 1, bytes)?;
                let is_set = |socket: usize| mask[place(socket)] & 1 << (socket % 8) != 0;
                let characters: Vec<u8> =
                    (0..length).map(|socket| if is_set(socket) { b'1' } else { b'0' }).collect();
                arguments.put(first + 2, &characters)?;
            }
            _ => return Ok(-1),
        }
        Ok(0)
    })())?;
    raised(arguments.put_fullword(first + 4, result))?;
    Ok(0)
}

/// The byte of a mask that has a socket's bit: fullwords are big-endian.
fn place(socket: usize) -> usize {
    socket / 32 * 4 + 3 - socket % 32 / 8
}

/// EZACIC08: one alias and one address of a HOSTENT, those after the ones of the call before.
///
/// # Errors
/// ASRA on a bad address.
pub(crate) fn host_entry(arguments: Arguments<'_>, sockets: &mut TaskSockets) -> Result<i32, Raise> {
    raised((|| {
        let host = sockets.resolved.host(arguments.handle(0)?);
        if let Some(host) = host {
            put_host(&arguments, host)?;
        }
        arguments.put_fullword(12, if host.is_some() { 0 } else { -1 })?;
        Ok(0)
    })())
}

fn put_host(arguments: &Arguments<'_>, host: &Host) -> Done {
    let put_text = |length: usize, text: &str| -> Done {
        let text = &text.as_bytes()[..text.len().min(HOST_NAME_MAX)];
        arguments.put_halfword(length, text.len() as u16)?;
        arguments.put(length + 1, text)
    };
    put_text(1, &host.name)?;
    arguments.put_halfword(3, host.aliases.len() as u16)?;
    let next = usize::from(arguments.halfword(4)?);
    if let Some(alias) = host.aliases.get(next) {
        put_text(5, alias)?;
        arguments.put_halfword(4, next as u16 + 1)?;
    }
    arguments.put_halfword(7, 2)?;
    arguments.put_halfword(8, 4)?;
    arguments.put_halfword(9, host.addresses.len() as u16)?;
    let next = usize::from(arguments.halfword(10)?);
    if let Some(IpAddr::V4(address)) = host.addresses.get(next) {
        arguments.put(11, &address.octets())?;
        arguments.put_halfword(10, next as u16 + 1)?;
    }
    Ok(())
}

/// EZACIC09: the parts of an ADDRINFO: length of NAME, canonical name, pointers to NAME and to the next, RETCODE.
///
/// # Errors
/// ASRA on a bad address.
pub(crate) fn address_info(arguments: Arguments<'_>) -> Result<i32, Raise> {
    raised((|| {
        let entry = arguments.handle(0)?;
        if entry == 0 {
            arguments.put_fullword(5, -1)?;
            return Ok(0);
        }
        let length = arguments.pointer_length();
        let bytes = arguments.bytes_at(entry, ADDRINFO_LENGTH)?;
        let pointer = |index: usize| arguments.pointer_of(&bytes[POINTERS_AT + index * length..][..length]);
        let name_length = bytes[16..20].iter().fold(0i32, |n, byte| n << 8 | i32::from(*byte));
        arguments.put_fullword(1, name_length)?;
        if pointer(0) != 0 {
            let text = arguments.text_at(pointer(0), HOST_NAME_MAX)?;
            arguments.put(2, text.as_bytes())?;
        }
        arguments.put_handle(3, pointer(1))?;
        arguments.put_handle(4, pointer(2))?;
        arguments.put_fullword(5, 0)?;
        Ok(0)
    })())
}

fn raised<T>(outcome: Done<T>) -> Result<T, Raise> {
    outcome.map_err(|failure| match failure {
        Failure::Raise(raise) => raise,
        Failure::Errno(_) => Raise::abend("ASRA"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_characters_are_the_last_bits_of_the_first_fullword() {
        assert_eq!([0, 7, 8, 31, 32, 63].map(place), [3, 3, 2, 0, 7, 4]);
    }
}
