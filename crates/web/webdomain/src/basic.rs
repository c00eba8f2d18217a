//! Basic authentication: a user and a password in the header Authorization (RFC 7617).

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ebcdic::Characters;
use http::RequestHead;
use kernel::name::Name8;

/// A user and a password.
#[derive(Debug, PartialEq, Eq)]
pub struct Basic {
    /// The user's identifier.
    pub user: Name8,
    /// The password, its bytes as the program's characters.
    pub password: String,
}

impl Basic {
    /// User and password of a request, if they are well formed.
    pub(crate) fn of(head: &RequestHead) -> Option<Self> {
        Self::read(head.fields().get("Authorization")?)
    }

    /// Reads the header's value; `None` for another scheme, and for what is no user and password.
    pub fn read(value: &[u8]) -> Option<Self> {
        let (scheme, text) = value.split_at_checked("Basic ".len())?;
        if !scheme.eq_ignore_ascii_case(b"Basic ") {
            return None;
        }
        let decoded = STANDARD.decode(text.trim_ascii()).ok()?;
        let at = decoded.iter().position(|byte| *byte == b':')?;
        let (user, password) = (&decoded[..at], &decoded[at + 1..]);
        let fits = (1..=8).contains(&user.len());
        let password = Characters::default().text(password);
        fits.then(|| Self { user: Name8::new(user).upper(), password })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_and_a_password_stand_behind_the_scheme() {
        let read = Basic::read(b"basic YW5uYTpzZWM6cmV0");
        assert_eq!(read, Some(Basic { user: Name8::from("ANNA"), password: "sec:ret".to_owned() }));
        for wrong in ["Bearer YW5uYTpzZWM6cmV0", "Basic", "Basic !", "Basic YW5uYQ==", "Basic OnNlY3JldA=="] {
            assert_eq!(Basic::read(wrong.as_bytes()), None, "{wrong}");
        }
    }
}
