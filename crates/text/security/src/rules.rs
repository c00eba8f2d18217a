//! The rules for new passwords, and their expiry.

use crate::password;

/// The rules of a region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Characters that a password has at least.
    pub length_min: usize,
    /// The number of former passwords that a new one must not repeat; at most [`HISTORY_MAX`].
    pub history: usize,
    /// Days after which a password must be changed; `None`: never.
    pub expires_after_days: Option<u32>,
}

/// Former passwords that may be kept: each costs a hash at every change.
pub const HISTORY_MAX: usize = 12;
/// Characters that a passphrase has at least: anything shorter is a password.
pub const PHRASE_MIN: usize = 9;
/// Characters that a passphrase has at most.
pub const PHRASE_MAX: usize = 100;
/// Characters that a password has at most where a program brings it.
pub const PASSWORD_MAX: usize = 8;

impl Default for Rules {
    fn default() -> Self {
        Self { length_min: password::LENGTH_MIN, history: 0, expires_after_days: None }
    }
}

/// The state of a password by its age.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Age {
    /// It may be used; with an expiry, for this number of days more.
    Good(Option<u32>),
    /// It must be changed first.
    Expired,
}

impl Rules {
    /// The fault of a new password for a user, if it has one. `former`: hashes of the user's passwords so far, the
    /// newest first; each that counts costs as much as a sign-on.
    pub fn complaint(&self, new: &str, userid: &str, former: &[String]) -> Option<String> {
        if new.chars().count() < self.length_min {
            return Some(format!("the password is too short: it needs {} characters", self.length_min));
        }
        if let Some(weakness) = password::weakness(new, userid) {
            return Some(weakness);
        }
        if is_common(new) {
            return Some(String::from("the password is one that is tried first everywhere"));
        }
        let used = former.iter().take(self.history.min(HISTORY_MAX)).any(|hash| password::verify(new, hash));
        used.then(|| format!("the password is one of the last {}", self.history))
    }

    /// The state on `today` of a password that was set on day `set`; days count from any origin. A day in the future
    /// counts as today.
    pub fn age(&self, set: u32, today: u32) -> Age {
        let Some(days) = self.expires_after_days else { return Age::Good(None) };
        match days.checked_sub(today.saturating_sub(set)) {
            None | Some(0) => Age::Expired,
            left => Age::Good(left),
        }
    }
}

/// Words of which careless passwords are made.
const COMMON: [&str; 48] = [
    "abc",
    "access",
    "admin",
    "administrator",
    "august",
    "autumn",
    "baseball",
    "batman",
    "changeit",
    "changeme",
    "cics",
    "cicsts",
    "computer",
    "default",
    "dragon",
    "fall",
    "football",
    "guest",
    "hello",
    "iloveyou",
    "letmein",
    "login",
    "mainframe",
    "master",
    "monday",
    "monkey",
    "mustang",
    "operator",
    "pass",
    "passphrase",
    "password",
    "princess",
    "qwerty",
    "qwertz",
    "secret",
    "shadow",
    "spring",
    "summer",
    "sunday",
    "sunshine",
    "superman",
    "syncpoint",
    "temporary",
    "test",
    "trustno",
    "user",
    "welcome",
    "winter",
];

/// Returns true if a password is a common word, with digits or signs after it or digits in place of letters, or a row
/// of keys.
fn is_common(password: &str) -> bool {
    let lower = password.to_lowercase();
    let word = lower.trim_end_matches(|c: char| !c.is_alphabetic());
    let read: String = word.chars().map(letter).collect();
    let whole: String = lower.chars().map(letter).collect();
    let has = |text: &str| COMMON.binary_search(&text).is_ok();
    has(word) || has(&read) || has(&whole) || is_row(&lower)
}

/// The letter that a digit or a sign stands for in such words.
fn letter(character: char) -> char {
    match character {
        '0' => 'o',
        '1' | '!' => 'i',
        '3' => 'e',
        '4' | '@' => 'a',
        '5' | '$' => 's',
        '7' => 't',
        other => other,
    }
}

/// Returns true if a text is one row of keys or of the alphabet, forward or back.
fn is_row(text: &str) -> bool {
    const ROWS: [&str; 6] = [
        "01234567890123456789",
        "abcdefghijklmnopqrstuvwxyz",
        "qwertyuiopasdfghjklzxcvbnm",
        "qwertzuiopasdfghjklyxcvbnm",
        "azertyuiopqsdfghjklmwxcvbn",
        "1q2w3e4r5t6y7u8i9o0p",
    ];
    let back: String = text.chars().rev().collect();
    ROWS.iter().any(|row| row.contains(text) || row.contains(&back))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_words_are_in_order() {
        assert!(COMMON.is_sorted());
    }

    #[test]
    fn a_new_password_keeps_the_rules() {
        let rules = Rules { history: 2, ..Rules::default() };
        let hash = |password: &str| password::hash(password, [3; password::SALT_LENGTH]).expect("hashed");
        let former = ["harbour-9", "harbour-8", "harbour-7"].map(hash);
        for (new, complaint) in [
            ("short1!", Some("too short")),
            ("zzzzzzzzzz", Some("over and over")),
            ("teller1-x", Some("user id")),
            ("Password99", Some("tried first")),
            ("P4$$w0rd!", Some("tried first")),
            ("Summer2026!", Some("tried first")),
            ("12345678", Some("tried first")),
            ("hgfedcba", Some("tried first")),
            ("qwertyuiop", Some("tried first")),
            ("harbour-9", Some("last 2")),
            ("harbour-8", Some("last 2")),
            ("harbour-7", None),
            ("harbour-6", None),
        ] {
            let found = rules.complaint(new, "TELLER1", &former);
            match complaint {
                Some(part) => {
                    assert!(found.as_ref().is_some_and(|text| text.contains(part)), "{new}: {found:?}")
                }
                None => assert_eq!(found, None, "{new}"),
            }
        }
        let long = Rules { length_min: 14, ..Rules::default() };
        assert!(long.complaint("harbour-9-pier", "TELLER1", &[]).is_none());
        assert!(long.complaint("harbour-9-pie", "TELLER1", &[]).is_some());
    }

    #[test]
    fn a_password_ages() {
        let never = Rules::default();
        let monthly = Rules { expires_after_days: Some(30), ..Rules::default() };
        for (rules, set, today, age) in [
            (&never, 0, 100_000, Age::Good(None)),
            (&monthly, 100, 100, Age::Good(Some(30))),
            (&monthly, 100, 129, Age::Good(Some(1))),
            (&monthly, 100, 130, Age::Expired),
            (&monthly, 100, 500, Age::Expired),
            (&monthly, 100, 99, Age::Good(Some(30))),
        ] {
            assert_eq!(rules.age(set, today), age, "{set} {today}");
        }
    }
}
