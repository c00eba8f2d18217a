//! The certificates with which regions of other machines may come, and the APPLIDs that each may have.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::limits::ALLOWED_BYTES_MAX;

/// Digits of the SHA-256 of a certificate.
const DIGITS: usize = 64;
/// Characters of an APPLID.
const APPLID: usize = 8;

/// The certificates, by their SHA-256.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Allowed(BTreeMap<String, Vec<String>>);

/// A fingerprint as tools print it, in the form of `ports::fingerprint`.
fn fingerprint(text: &str) -> Option<String> {
    let digits: String = text.chars().filter(|digit| *digit != ':').collect();
    let is_one = digits.len() == DIGITS && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_one.then(|| digits.to_ascii_lowercase())
}

/// An APPLID, or the beginning of several with `*` behind it.
fn name(text: &str) -> Option<String> {
    let own = text.strip_suffix('*').unwrap_or(text);
    let is_char = |byte: u8| byte.is_ascii_alphanumeric() || b"@#$".contains(&byte);
    let is_one = !text.is_empty() && own.len() <= APPLID && own.bytes().all(is_char);
    is_one.then(|| text.to_ascii_uppercase())
}

impl Allowed {
    /// Reads a file of them.
    ///
    /// # Errors
    /// It cannot be read, or one of its lines.
    pub fn read(path: &Path) -> Result<Self, String> {
        let mut text = String::new();
        let read = File::open(path).and_then(|file| file.take(ALLOWED_BYTES_MAX).read_to_string(&mut text));
        read.map_err(|error| format!("{}: {error}", path.display()))?;
        if text.len() as u64 == ALLOWED_BYTES_MAX {
            return Err(format!("{}: it has more than {ALLOWED_BYTES_MAX} bytes", path.display()));
        }
        Self::parse(&text).map_err(|why| format!("{}:{why}", path.display()))
    }

    /// Reads their text: in each line the SHA-256 of a certificate, then the APPLIDs that it may have.
    fn parse(text: &str) -> Result<Self, String> {
        let mut allowed = Self::default();
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.split_once(" #").map_or(line, |(line, _)| line).trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let mut words = line.split_whitespace();
            let own = words.next().and_then(fingerprint);
            let own = own.ok_or_else(|| {
                format!("{number}: this line does not begin with the SHA-256 of a certificate")
            })?;
            let names: Option<Vec<_>> = words.map(name).collect();
            let names = names.filter(|names| !names.is_empty());
            let names = names.ok_or_else(|| {
                format!("{number}: behind a certificate stand the APPLIDs that it may have, such as REGA or CLONE*")
            })?;
            allowed.0.entry(own).or_default().extend(names);
        }
        Ok(allowed)
    }

    /// Refuses a region whose certificate is not allowed, or not for its APPLID.
    pub fn check(&self, certificate: &str, applid: &str) -> Result<(), String> {
        let Some(names) = self.0.get(certificate) else {
            return Err(format!("the certificate {certificate} is not allowed here"));
        };
        let is_its = |name: &String| match name.strip_suffix('*') {
            Some(begin) => applid.starts_with(begin),
            None => name == applid,
        };
        match names.iter().any(is_its) {
            true => Ok(()),
            false => Err(format!("the certificate {certificate} is not for the APPLID {applid}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_certificate_has_the_names_behind_it_and_no_others() {
        let (one, other) = ("A1".repeat(32), "b2".repeat(32));
        let colons: Vec<_> = one.as_bytes().chunks(2).map(|pair| String::from_utf8_lossy(pair)).collect();
        let text = format!("# regions\n{}  rega CLONE*  # of the north\n\n{other} REGB\n", colons.join(":"));
        let allowed = Allowed::parse(&text).expect("a text");
        let one = one.to_ascii_lowercase();
        for (certificate, applid, is) in [
            (&one, "REGA", true),
            (&one, "CLONE7", true),
            (&one, "REGB", false),
            (&one, "REGAX", false),
            (&other, "REGB", true),
            (&other, "REGA", false),
            (&"c3".repeat(32), "REGA", false),
            (&String::new(), "REGA", false),
        ] {
            assert_eq!(allowed.check(certificate, applid).is_ok(), is, "{certificate} {applid}");
        }
    }

    #[test]
    fn a_line_that_says_nothing_is_refused_with_its_number() {
        let good = "ab".repeat(32);
        for (line, why) in [
            ("REGA".to_owned(), "SHA-256"),
            ("ab".repeat(31), "SHA-256"),
            (good.clone(), "the APPLIDs"),
            (format!("{good} LONGERNAME"), "the APPLIDs"),
            (format!("{good} REG A-B"), "the APPLIDs"),
        ] {
            let refused = Allowed::parse(&format!("# one\n{line}\n")).expect_err("it is refused");
            assert!(refused.starts_with("2: ") && refused.contains(why), "{refused}");
        }
        assert_eq!(Allowed::parse("\n # nothing\n"), Ok(Allowed::default()));
    }
}
