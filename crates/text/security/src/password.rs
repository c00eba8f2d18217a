//! Passwords: only their argon2id hashes are ever written down.
//!
//! The salt comes from the caller: this crate has no randomness.

use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};

/// Bytes of salt that [`hash`] takes, new and random for each password.
pub const SALT_LENGTH: usize = 16;

/// The hash of a password, as the users file holds it: `$argon2id$v=19$…`.
///
/// Costs some 20 ms of processor time and 19 MiB, by design; `None` if the password cannot be hashed (4 GiB long).
pub fn hash(password: &str, salt: [u8; SALT_LENGTH]) -> Option<String> {
    let hash: PasswordHash = Argon2::default().hash_password_with_salt(password.as_bytes(), &salt).ok()?;
    Some(hash.to_string())
}

/// Characters that a new password has at least.
pub const LENGTH_MIN: usize = 8;

/// The fault of a new password for a user, if it has one: passwords that are guessed first are not taken.
pub fn weakness(password: &str, userid: &str) -> Option<String> {
    let mut characters = password.chars();
    let first = characters.next();
    if password.chars().count() < LENGTH_MIN {
        Some(format!("the password is too short: it needs {LENGTH_MIN} characters"))
    } else if characters.all(|character| Some(character) == first) {
        Some(String::from("the password is one character over and over"))
    } else if password.to_ascii_uppercase().contains(&userid.to_ascii_uppercase()) {
        Some(String::from("the password has the user id in it"))
    } else {
        None
    }
}

/// Returns true if a hash is of this password; costs as much as [`hash`].
pub fn verify(password: &str, hash: &str) -> bool {
    PasswordHash::new(hash)
        .is_ok_and(|hash| Argon2::default().verify_password(password.as_bytes(), &hash).is_ok())
}

/// Returns true if a text is a hash that [`verify`] can read.
pub fn is_hash(text: &str) -> bool {
    text.starts_with("$argon2") && PasswordHash::new(text).is_ok_and(|hash| hash.hash.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_anybody_would_guess_first_is_no_password() {
        for (password, is_weak) in [
            ("", true),
            ("s3cret", true),
            ("aaaaaaaaaa", true),
            ("teller1!", true),
            ("HARBOUR1", false),
            ("übergrün", false),
        ] {
            assert_eq!(weakness(password, "TELLER1").is_some(), is_weak, "{password}");
        }
    }

    #[test]
    fn a_hash_verifies_its_own_password_only() {
        let hash = hash("s3cret", [7; SALT_LENGTH]).expect("hashed");
        assert!(is_hash(&hash));
        assert!(!hash.contains("s3cret"));
        assert!(verify("s3cret", &hash));
        assert!(!verify("S3CRET", &hash));
        assert!(!verify("s3cret", "s3cret"));
        assert!(!is_hash("s3cret"));
    }
}
