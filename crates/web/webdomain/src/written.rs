//! Answers that programs write as text: status line, headers, a blank line, body.

use http::{Version, write};
use web::Answer;

/// An answer as text. Headers of the door are not in it.
pub(crate) fn write(answer: &Answer) -> Vec<u8> {
    let mut text = Vec::new();
    write::status_line(Version::Http11, answer.status, answer.phrase.as_deref(), &mut text);
    write::fields(&answer.fields, &mut text);
    text.extend_from_slice(b"\r\n");
    text.extend_from_slice(&answer.body);
    text
}

/// Answer in a text; `None` if it does not begin as an answer, or has lines that are no headers.
pub(crate) fn read(text: &[u8]) -> Option<Answer> {
    let mut rest = text;
    let line = next_line(&mut rest)?;
    let mut words = line.strip_prefix(b"HTTP/1.")?.splitn(3, |byte| *byte == b' ').skip(1);
    let status =
        std::str::from_utf8(words.next()?).ok()?.parse().ok().filter(|it| (200..600).contains(it))?;
    let phrase = words.next().filter(|phrase| !phrase.is_empty()).map(<[u8]>::to_vec);
    let mut answer = Answer { status, phrase, ..Answer::default() };
    loop {
        let line = next_line(&mut rest)?;
        if line.is_empty() {
            break;
        }
        let colon = line.iter().position(|byte| *byte == b':')?;
        answer.fields.push(&line[..colon], line[colon + 1..].trim_ascii()).ok()?;
    }
    answer.body = rest.to_vec();
    Some(answer)
}

/// A text up to the end of its line, CR LF or LF alone as programs have it.
fn next_line<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let end = rest.iter().position(|byte| *byte == b'\n')?;
    let line = &rest[..end];
    *rest = &rest[end + 1..];
    Some(line.strip_suffix(b"\r").unwrap_or(line))
}

/// Page that a program has left in its COMMAREA.
pub(crate) fn page(commarea: &[u8]) -> Answer {
    let end = commarea.iter().rposition(|byte| !matches!(byte, 0 | b' ')).map_or(0, |at| at + 1);
    let mut answer = Answer { status: 200, body: commarea[..end].to_vec(), ..Answer::default() };
    // A fixed text.
    let _ = answer.fields.push("Content-Type", "text/html");
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut answer = Answer::text(404, "no");
        answer.phrase = Some(b"Gone fishing".to_vec());
        let text = write(&answer);
        assert_eq!(
            String::from_utf8_lossy(&text),
            "HTTP/1.1 404 Gone fishing\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nno"
        );
        let read = read(&text).expect("an answer");
        assert_eq!((read.status, read.phrase, read.body), (404, answer.phrase, answer.body));
        assert!(read.fields.has("Content-Type"));
    }

    #[test]
    fn what_is_no_answer_is_none() {
        for text in
            ["", "hello", "HTTP/1.1 200 OK\r\nno colon\r\n\r\n", "HTTP/1.1 99 X\r\n\r\n", "HTTP/1.1 200"]
        {
            assert!(read(text.as_bytes()).is_none(), "{text}");
        }
    }
}
