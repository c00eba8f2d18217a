//! Changes to the text of a users file that leave everything else in it alone, comments included.

use std::fmt::Write;
use std::ops::Range;

use diagnostics::Source;

use crate::User;

/// The text with a user added, or changed where it is there already.
pub fn with_user(text: &str, user: &User) -> String {
    let block = render(user);
    match blocks(text).into_iter().find(|(_, userid)| *userid == user.userid) {
        Some((range, _)) => {
            let behind = &text[range.end..];
            let gap = if behind.is_empty() { "" } else { "\n" };
            format!("{}{block}{gap}{}", &text[..range.start], behind.trim_start_matches('\n'))
        }
        None if text.trim().is_empty() => format!("{text}{block}"),
        None => format!("{}\n\n{block}", text.trim_end()),
    }
}

/// The text without a user; `None` if it has no such user.
pub fn without_user(text: &str, userid: &str) -> Option<String> {
    let (range, _) = blocks(text).into_iter().find(|(_, id)| id.eq_ignore_ascii_case(userid))?;
    let (before, behind) = (text[..range.start].trim_end(), text[range.end..].trim_start());
    let gap = if before.is_empty() || behind.is_empty() { "" } else { "\n" };
    let end = if before.is_empty() { "" } else { "\n" };
    Some(format!("{before}{end}{gap}{behind}"))
}

fn render(user: &User) -> String {
    let list = |words: Vec<&str>| words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(", ");
    let mut text = format!("[[user]]\nuserid = {}\n", quoted(&user.userid));
    let rights = list(user.rights.iter().map(|right| right.word()).collect());
    let groups = list(user.groups.iter().map(String::as_str).collect());
    // Writing to a String cannot fail.
    if !user.name.is_empty() {
        let _ = writeln!(text, "name = {}", quoted(&user.name));
    }
    let _ = writeln!(text, "rights = [{rights}]");
    if !groups.is_empty() {
        let _ = writeln!(text, "groups = [{groups}]");
    }
    if !user.starts_as.is_empty() {
        let users = list(user.starts_as.iter().map(String::as_str).collect());
        let _ = writeln!(text, "starts-as = [{users}]");
    }
    let hashes = [("password", &user.password), ("phrase", &user.phrase), ("changed", &user.changed)];
    for (key, value) in hashes {
        if let Some(value) = value {
            let _ = writeln!(text, "{key} = {}", quoted(value));
        }
    }
    for (key, values) in [("former", &user.former), ("certificates", &user.certificates)] {
        if !values.is_empty() {
            let _ = writeln!(text, "{key} = [{}]", list(values.iter().map(String::as_str).collect()));
        }
    }
    if user.revoked {
        let _ = writeln!(text, "revoked = true");
    }
    text
}

fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

/// Each `[[user]]` block: its lines, without comments above the next header, and its user.
fn blocks(text: &str) -> Vec<(Range<usize>, String)> {
    let mut starts = Vec::new();
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        if line.trim_start().starts_with('[') {
            starts.push(offset);
        }
        offset += line.len();
    }
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    let ranges = starts.iter().copied().zip(ends);
    ranges
        .filter_map(|(start, end)| {
            let range = start..start + own_lines(&text[start..end]);
            let (users, _) = crate::users(&Source::new("", &text[range.clone()]));
            let userid = users.iter().next()?.userid.clone();
            Some((range, userid))
        })
        .collect()
}

/// Returns the number of bytes that a block has of its own: up to the last line that is neither blank nor a comment.
fn own_lines(block: &str) -> usize {
    let (mut own, mut offset) = (0, 0);
    for line in block.split_inclusive('\n') {
        offset += line.len();
        if !line.trim().is_empty() && !line.trim_start().starts_with('#') {
            own = offset;
        }
    }
    own
}
