//! The header tracestate: what systems on the way have to say to themselves. It is passed on as it came.

use std::fmt;
use std::sync::Arc;

use crate::limits::{STATE_BYTES_MAX, STATE_MEMBER_LONG, STATE_MEMBERS_MAX};

/// Characters of a key.
const KEY_MAX: usize = 256;
/// Characters of a value.
const VALUE_MAX: usize = 256;

/// A tracestate that has members.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceState(Arc<str>);

impl TraceState {
    /// Reads the header, which may come in several lines; `None` if there is nothing to pass on, or what came is malformed.
    pub fn read<'a>(lines: impl IntoIterator<Item = &'a [u8]>) -> Option<Self> {
        let mut members = Vec::new();
        for line in lines {
            for member in line.split(|byte| *byte == b',') {
                let member = trimmed(member);
                if member.is_empty() {
                    continue;
                }
                if !is_member(member) || members.len() == STATE_MEMBERS_MAX {
                    return None;
                }
                members.push(std::str::from_utf8(member).ok()?);
            }
        }
        shorten(&mut members);
        (!members.is_empty()).then(|| Self(Arc::from(members.join(","))))
    }

    /// Its text.
    pub fn text(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for TraceState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Takes members away where they are too long together: long ones first, then the last ones.
fn shorten(members: &mut Vec<&str>) {
    let fits = |members: &[&str]| {
        let bytes: usize = members.iter().map(|member| member.len() + 1).sum();
        bytes <= STATE_BYTES_MAX + 1
    };
    while !fits(members) {
        let long = members.iter().rposition(|member| member.len() > STATE_MEMBER_LONG);
        members.remove(long.unwrap_or(members.len() - 1));
    }
}

fn trimmed(bytes: &[u8]) -> &[u8] {
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let Some(first) = bytes.iter().position(|byte| !is_blank(byte)) else { return &[] };
    let last = bytes.iter().rposition(|byte| !is_blank(byte)).unwrap_or(first);
    &bytes[first..=last]
}

fn is_member(member: &[u8]) -> bool {
    let Some(equals) = member.iter().position(|byte| *byte == b'=') else { return false };
    let (key, value) = (&member[..equals], &member[equals + 1..]);
    is_key(key) && is_value(value)
}

/// Returns true of a key: small letters, digits, and a few signs.
fn is_key(key: &[u8]) -> bool {
    let is_first = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let is_sign = |byte: &u8| matches!(byte, b'_' | b'-' | b'*' | b'/' | b'@');
    key.len() <= KEY_MAX
        && key.first().is_some_and(is_first)
        && key.iter().all(|byte| is_first(byte) || is_sign(byte))
        && key.iter().filter(|byte| **byte == b'@').count() <= 1
}

/// Returns true of a value: visible characters and blanks within, but no comma and no equals sign.
fn is_value(value: &[u8]) -> bool {
    let is_one = |byte: &u8| matches!(byte, 0x20..=0x7e) && !matches!(byte, b',' | b'=');
    (1..=VALUE_MAX).contains(&value.len()) && value.iter().all(is_one)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &[&str]) -> Option<String> {
        TraceState::read(lines.iter().map(|line| line.as_bytes())).map(|state| state.to_string())
    }

    #[test]
    fn members_are_passed_on_in_their_order_and_blanks_round_them_are_not() {
        let table: [(&[&str], Option<&str>); 9] = [
            (&["foo=1"], Some("foo=1")),
            (&["foo=1 \t , \t bar=2, \t baz=3"], Some("foo=1,bar=2,baz=3")),
            (&["foo=1,", "", ",bar=2"], Some("foo=1,bar=2")),
            (&["0tenant@sys=a b"], Some("0tenant@sys=a b")),
            (&["a*/_-1=!~"], Some("a*/_-1=!~")),
            (&[""], None),
            (&[" , "], None),
            (&[], None),
            (&["foo=1,foo=1"], Some("foo=1,foo=1")),
        ];
        for (lines, expected) in table {
            assert_eq!(read(lines).as_deref(), expected, "{lines:?}");
        }
    }

    #[test]
    fn what_is_malformed_is_dropped_whole() {
        let long = format!("{}=1", "a".repeat(257));
        let many = vec!["a=1"; 33].join(",");
        let wide = format!("a={}", "b".repeat(257));
        let table =
            ["foo", "foo=", "=1", "FOO=1", "foo=1=2", "foo =1", "f\u{f6}=1", "a@b@c=1", "@a=1", "foo=\x7f"];
        for text in table.into_iter().chain([long.as_str(), &many, &wide]) {
            assert_eq!(read(&["good=1", text]), None, "{text:?}");
        }
    }

    #[test]
    fn one_that_is_too_long_loses_long_members_first() {
        let (long, short) = (format!("long={}", "x".repeat(200)), format!("s={}", "y".repeat(100)));
        let text = [short.as_str(), &long, &short, &short, &short].join(",");
        assert_eq!(read(&[&text]), Some([short.as_str(); 4].join(",")));
        let text = [short.as_str(); 10].join(",");
        assert_eq!(read(&[&text]), Some([short.as_str(); 4].join(",")));
    }
}
