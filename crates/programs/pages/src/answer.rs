//! A `response` block: what came back from a web service.
//!
//! Alone it has all of the answer but for Date and Connection: the status line, headers, an empty line, the body. `response json` names
//! some lines of the head, and the body as JSON, in whatever order and layout; `response head` names lines of the head alone.

use serde_json::Value;

use crate::document::Block;

/// Headers of every answer, which differ each time or say nothing.
const LEFT_OUT: [&str; 2] = ["date:", "connection:"];

/// The lines of an answer with which a block is compared.
pub fn lines(answer: &[u8], block: &Block) -> Vec<String> {
    let all = shown(answer);
    let (is_json, is_head) = (block.says("json"), block.says("head"));
    if !is_json && !is_head {
        return all;
    }
    let end = all.iter().position(String::is_empty).unwrap_or(all.len());
    let expected_end = block.text.iter().position(|line| line.trim().is_empty()).unwrap_or(block.text.len());
    let (head, expected_head) = (&all[..end], &block.text[..expected_end]);
    let mut lines = named(head, expected_head);
    if is_json {
        lines.push(String::new());
        lines.extend(json(body(answer), block.text.get(expected_end + 1..).unwrap_or_default()));
    }
    lines
}

/// Of a head, the status line and the headers that are named; the status line alone where nothing is.
fn named(head: &[String], expected: &[String]) -> Vec<String> {
    let name = |line: &str| line.split_once(':').map(|(name, _)| name.to_ascii_lowercase());
    let of = |expected: &String| match name(expected) {
        None => head.first().cloned(),
        own => head.iter().skip(1).find(|line| name(line) == own).cloned(),
    };
    if expected.is_empty() {
        head.first().cloned().into_iter().collect()
    } else {
        expected.iter().filter_map(of).collect()
    }
}

/// The body as it is expected, if it is the same JSON; else as it is.
fn json(body: &[u8], expected: &[String]) -> Vec<String> {
    let written: Vec<String> = expected.iter().map(|line| line.trim_end().to_owned()).collect();
    let Ok(value) = serde_json::from_slice::<Value>(body) else {
        return String::from_utf8_lossy(body).lines().map(escaped).collect();
    };
    match serde_json::from_str::<Value>(&written.join("\n")) {
        Ok(same) if same == value => written,
        _ => format!("{value:#}").lines().map(str::to_owned).collect(),
    }
}

fn body(answer: &[u8]) -> &[u8] {
    const END: &[u8] = b"\r\n\r\n";
    let end = answer.windows(END.len()).position(|part| part == END);
    end.map_or(&[], |end| &answer[end + END.len()..])
}

/// The lines of an answer: bytes that are no printable ASCII by their numbers.
pub fn shown(answer: &[u8]) -> Vec<String> {
    let text: String = answer.iter().map(|byte| char::from(*byte)).collect();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let counts = |line: &&str| {
        let line = line.to_ascii_lowercase();
        !LEFT_OUT.iter().any(|header| line.starts_with(header))
    };
    let head = head.split("\r\n").filter(counts);
    let empty = (!body.is_empty()).then_some("");
    head.chain(empty).chain(body.lines()).map(escaped).collect()
}

fn escaped(line: &str) -> String {
    let shown = |c: char| match c {
        ' '..='~' => c.to_string(),
        _ => format!("\\x{:02X}", u32::from(c)),
    };
    line.chars().map(shown).collect::<String>().trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\nDate: now\r\nX: 1\r\nY: 2\r\n\r\n{\"b\":1,\"a\":[2]}";

    fn block(words: &[&str], text: &[&str]) -> Block {
        let owned = |all: &[&str]| all.iter().map(|&one| one.to_owned()).collect();
        Block { kind: "response".to_owned(), words: owned(words), line: 1, text: owned(text) }
    }

    #[test]
    fn an_answer_is_its_lines() {
        let answer = b"HTTP/1.1 200 OK\r\nDate: now\r\nX: 1\r\n\r\none\ntw\xe9\n";
        assert_eq!(shown(answer), ["HTTP/1.1 200 OK", "X: 1", "", "one", "tw\\xE9"]);
        assert_eq!(shown(b"HTTP/1.1 204 No Content\r\n\r\n"), ["HTTP/1.1 204 No Content"]);
    }

    #[test]
    fn json_is_the_same_in_any_order_and_named_headers_count() {
        let text = ["HTTP/1.1 200 OK", "y: 2", "", "{ \"a\": [2],", "  \"b\": 1 }"];
        let expected = block(&["json"], &text);
        assert_eq!(lines(ANSWER, &expected), ["HTTP/1.1 200 OK", "Y: 2", "", text[3], text[4]]);
        let other = lines(ANSWER, &block(&["json"], &["HTTP/1.1 200 OK", "", "{}"]));
        assert_eq!(other.join("\n"), "HTTP/1.1 200 OK\n\n{\n  \"b\": 1,\n  \"a\": [\n    2\n  ]\n}");
        assert_eq!(lines(ANSWER, &block(&["head"], &["X: 7"])), ["X: 1"]);
    }
}
