//! Frames: those of a browser, which are masked, and ours, which are not.

use crate::limits::MESSAGE_MAX;

/// A message of a browser.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Message {
    /// A text.
    Text(String),
    /// A question whether we live, to be answered with the same bytes.
    Ping(Vec<u8>),
    /// An answer to ours.
    Pong,
    /// It leaves.
    Close,
}

/// The reason why a browser is sent away: the status of its close frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Violation(pub u16);

/// Statuses of a close frame.
const PROTOCOL: Violation = Violation(1002);
const NO_TEXT: Violation = Violation(1003);
const NOT_UTF8: Violation = Violation(1007);
const TOO_LONG: Violation = Violation(1009);

/// Kinds of frames.
const CONTINUATION: u8 = 0;
const TEXT: u8 = 1;
const CLOSE: u8 = 8;
const PING: u8 = 9;
const PONG: u8 = 10;
/// The last frame of a message.
const FIN: u8 = 0x80;
const MASKED: u8 = 0x80;
/// Bytes of a frame that says something of the connection.
const CONTROL_MAX: usize = 125;

/// The frames of a browser, in bytes that come piece by piece.
#[derive(Debug, Default)]
pub(crate) struct Frames {
    buffer: Vec<u8>,
    /// The beginning of a message whose frames come one after the other.
    begun: Option<Vec<u8>>,
}

/// The head of a frame.
struct Head {
    last: bool,
    kind: u8,
    mask: [u8; 4],
    /// The place at which its bytes begin.
    from: usize,
    length: usize,
}

impl Frames {
    /// Takes bytes that have come. The caller takes messages out before it reads more.
    pub fn take(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// The next message, if it is whole.
    ///
    /// # Errors
    /// It is against the rules, or too long: nothing after it counts.
    pub fn next(&mut self) -> Result<Option<Message>, Violation> {
        while let Some(head) = head(&self.buffer)? {
            let to = head.from + head.length;
            if self.buffer.len() < to {
                return Ok(None);
            }
            let masked = self.buffer[head.from..to].iter().zip(head.mask.iter().cycle());
            let bytes: Vec<u8> = masked.map(|(byte, mask)| byte ^ mask).collect();
            self.buffer.drain(..to);
            if let Some(message) = self.message(&head, bytes)? {
                return Ok(Some(message));
            }
        }
        Ok(None)
    }

    fn message(&mut self, head: &Head, bytes: Vec<u8>) -> Result<Option<Message>, Violation> {
        let whole = match head.kind {
            PING => return Ok(Some(Message::Ping(bytes))),
            PONG => return Ok(Some(Message::Pong)),
            CLOSE => return Ok(Some(Message::Close)),
            TEXT if self.begun.is_none() => bytes,
            CONTINUATION => {
                let mut begun = self.begun.take().ok_or(PROTOCOL)?;
                if begun.len() + bytes.len() > MESSAGE_MAX {
                    return Err(TOO_LONG);
                }
                begun.extend_from_slice(&bytes);
                begun
            }
            TEXT => return Err(PROTOCOL),
            _ => return Err(NO_TEXT),
        };
        if !head.last {
            self.begun = Some(whole);
            return Ok(None);
        }
        String::from_utf8(whole).map(|text| Some(Message::Text(text))).map_err(|_| NOT_UTF8)
    }
}

/// The head of a frame, once it is there.
fn head(bytes: &[u8]) -> Result<Option<Head>, Violation> {
    let [first, second, ..] = *bytes else { return Ok(None) };
    let (kind, is_control) = (first & 0x0F, first & 0x08 != 0);
    let short = usize::from(second & 0x7F);
    // A browser masks; this end has not agreed to extensions.
    let is_bad = second & MASKED == 0
        || first & 0x70 != 0
        || (is_control && (first & FIN == 0 || short > CONTROL_MAX));
    if is_bad {
        return Err(PROTOCOL);
    }
    let more = match short {
        126 => 2,
        127 => 8,
        _ => 0,
    };
    let Some(extended) = bytes.get(2..2 + more) else { return Ok(None) };
    let long = extended.iter().fold(0_u64, |length, byte| length << 8 | u64::from(*byte));
    let length = if more == 0 { short } else { usize::try_from(long).map_err(|_| TOO_LONG)? };
    if length > MESSAGE_MAX {
        return Err(TOO_LONG);
    }
    let Some(mask) = bytes.get(2 + more..6 + more) else { return Ok(None) };
    let mask = [mask[0], mask[1], mask[2], mask[3]];
    Ok(Some(Head { last: first & FIN != 0, kind, mask, from: 6 + more, length }))
}

/// A text as a frame.
pub(crate) fn text(text: &str) -> Vec<u8> {
    frame(TEXT, text.as_bytes())
}

/// The question whether a browser lives.
pub(crate) fn ping() -> Vec<u8> {
    frame(PING, b"")
}

/// The answer to a browser's.
pub(crate) fn pong(bytes: &[u8]) -> Vec<u8> {
    frame(PONG, bytes)
}

/// The end, with a status and a reason of a few words.
pub(crate) fn close(status: u16, reason: &str) -> Vec<u8> {
    let fits =
        reason.char_indices().map(|(at, c)| at + c.len_utf8()).take_while(|end| *end <= CONTROL_MAX - 2);
    let reason = &reason[..fits.last().unwrap_or(0)];
    frame(CLOSE, &[&status.to_be_bytes(), reason.as_bytes()].concat())
}

fn frame(kind: u8, bytes: &[u8]) -> Vec<u8> {
    let mut frame = Vec::with_capacity(bytes.len() + 10);
    frame.push(FIN | kind);
    match (u8::try_from(bytes.len()), u16::try_from(bytes.len())) {
        (Ok(short @ 0..126), _) => frame.push(short),
        (_, Ok(length)) => {
            frame.push(126);
            frame.extend_from_slice(&length.to_be_bytes());
        }
        _ => {
            frame.push(127);
            frame.extend_from_slice(&(bytes.len() as u64).to_be_bytes());
        }
    }
    frame.extend_from_slice(bytes);
    frame
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A frame of a browser.
    fn masked(first: u8, bytes: &[u8]) -> Vec<u8> {
        let mut frame = vec![first];
        match bytes.len() {
            0..126 => frame.push(MASKED | bytes.len() as u8),
            _ => {
                frame.push(MASKED | 126);
                frame.extend_from_slice(&(bytes.len() as u16).to_be_bytes());
            }
        }
        let mask = [1, 2, 3, 4];
        frame.extend_from_slice(&mask);
        frame.extend(bytes.iter().zip(mask.iter().cycle()).map(|(byte, mask)| byte ^ mask));
        frame
    }

    fn all(bytes: &[u8], cut: usize) -> Result<Vec<Message>, Violation> {
        let (mut frames, mut messages) = (Frames::default(), Vec::new());
        for piece in bytes.chunks(cut) {
            frames.take(piece);
            while let Some(message) = frames.next()? {
                messages.push(message);
            }
        }
        Ok(messages)
    }

    #[test]
    fn messages_come_out_wherever_their_bytes_are_cut() {
        let long = "x".repeat(1_000);
        let bytes = [
            masked(0x81, b"one"),
            masked(0x01, "h\u{e9}".as_bytes()),
            masked(0x89, b"?"),
            masked(0x80, b"llo"),
            masked(0x81, long.as_bytes()),
            masked(0x88, &[3, 232]),
        ]
        .concat();
        let text = |text: &str| Message::Text(text.to_owned());
        for cut in [1, 2, 7, bytes.len()] {
            let expected =
                [text("one"), Message::Ping(b"?".to_vec()), text("h\u{e9}llo"), text(&long), Message::Close];
            assert_eq!(all(&bytes, cut).expect("it is right"), expected);
        }
    }

    #[test]
    fn frames_against_the_rules_end_the_connection() {
        let unmasked = vec![0x81, 1, b'x'];
        let endless = vec![0x81, MASKED | 127, 0, 0, 1, 0, 0, 0, 0, 0];
        let half = "x".repeat(MESSAGE_MAX / 2 + 1);
        let pieces = [masked(0x01, half.as_bytes()), masked(0x80, half.as_bytes())].concat();
        for (bytes, expected) in [
            (unmasked, PROTOCOL),
            (masked(0xC1, b"x"), PROTOCOL),
            (masked(0x80, b"x"), PROTOCOL),
            (masked(0x09, b"x"), PROTOCOL),
            ([masked(0x01, b"x"), masked(0x81, b"y")].concat(), PROTOCOL),
            (masked(0x82, b"x"), NO_TEXT),
            (masked(0x81, &[0xFF]), NOT_UTF8),
            (endless, TOO_LONG),
            (pieces, TOO_LONG),
        ] {
            assert_eq!(all(&bytes, 3), Err(expected), "{:02X?}", &bytes[..3]);
        }
    }

    #[test]
    fn frames_of_ours_say_their_length() {
        assert_eq!(text("ab"), [0x81, 2, b'a', b'b']);
        assert_eq!(text(&"x".repeat(300))[..4], [0x81, 126, 1, 44]);
        assert_eq!(text(&"x".repeat(70_000))[..10], [0x81, 127, 0, 0, 0, 0, 0, 1, 0x11, 0x70]);
        assert_eq!(close(1000, &"\u{e9}".repeat(100)).len(), 2 + 2 + 122);
    }
}
