//! Messages of several frames, until the last one has come.

use std::collections::HashMap;

use crate::ended::{Ended, malformed};
use crate::frame::{Head, Kind, MORE};
use crate::limits::{MESSAGE_MAX, PARTIAL_MAX};

/// Messages that are not whole, by kind and conversation.
#[derive(Default)]
pub(crate) struct Partials {
    messages: HashMap<(bool, u32), Vec<u8>>,
    bytes: usize,
}

impl Partials {
    /// Takes a frame of a request or a reply; gives the whole message to `whole` if it is the last one.
    pub fn take<T>(
        &mut self,
        head: Head,
        body: &[u8],
        whole: impl FnOnce(&[u8]) -> Result<T, Ended>,
    ) -> Result<Option<T>, Ended> {
        let key = (head.kind == Kind::Request, head.conversation);
        let goes_on = head.flags & MORE != 0;
        if !goes_on && self.messages.is_empty() {
            return whole(body).map(Some);
        }
        if goes_on {
            let message = self.messages.entry(key).or_default();
            if message.len() + body.len() > MESSAGE_MAX || self.bytes + body.len() > PARTIAL_MAX {
                return Err(malformed(format!(
                    "a message of more than {MESSAGE_MAX} bytes, or too many at once"
                )));
            }
            if body.is_empty() {
                return Err(malformed("a message that goes on without going on"));
            }
            self.bytes += body.len();
            message.extend_from_slice(body);
            return Ok(None);
        }
        match self.messages.remove(&key) {
            None => whole(body).map(Some),
            Some(mut message) => {
                self.bytes -= message.len();
                if message.len() + body.len() > MESSAGE_MAX {
                    return Err(malformed(format!("a message of more than {MESSAGE_MAX} bytes")));
                }
                message.extend_from_slice(body);
                whole(&message).map(Some)
            }
        }
    }

    /// A request was cancelled: what has come of it is of no use. Returns true if something had.
    pub fn forget_request(&mut self, conversation: u32) -> bool {
        let forgotten = self.messages.remove(&(true, conversation));
        self.bytes -= forgotten.as_ref().map_or(0, Vec::len);
        forgotten.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Vitals;

    fn head(conversation: u32, flags: u8) -> Head {
        Head { conversation, kind: Kind::Request, flags, vitals: Vitals::default() }
    }

    #[test]
    fn pieces_of_several_messages_may_be_mixed() {
        let mut partials = Partials::default();
        let mut take = |conversation, flags, body: &[u8]| {
            partials.take(head(conversation, flags), body, |whole| Ok(whole.to_vec())).expect("a frame")
        };
        assert_eq!(take(1, MORE, b"ab"), None);
        assert_eq!(take(2, MORE, b"x"), None);
        assert_eq!(take(3, 0, b"short"), Some(b"short".to_vec()));
        assert_eq!(take(2, 0, b"y"), Some(b"xy".to_vec()));
        assert_eq!(take(1, 0, b""), Some(b"ab".to_vec()));
        assert_eq!(take(1, 0, b"new"), Some(b"new".to_vec()));
    }

    #[test]
    fn a_message_has_a_longest_length_and_pieces_have_some() {
        let mut partials = Partials::default();
        let piece = vec![0; MESSAGE_MAX / 2];
        let mut take = |body: &[u8]| partials.take(head(1, MORE), body, |_| Ok(()));
        assert!(take(&piece).is_ok() && take(&piece).is_ok());
        assert!(take(b"x").is_err());
        let empty = Partials::default().take(head(1, MORE), b"", |_| Ok(()));
        assert!(empty.is_err(), "pieces without end would keep nobody but cost time");
    }
}
