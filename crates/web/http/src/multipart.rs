//! Bodies of several parts (RFC 2046), and those that are forms (RFC 7578).

use memchr::memmem;

use crate::fields::Fields;
use crate::form_field::{Field, NoForm};
use crate::head;
use crate::limits::PART_HEAD_MAX;
use crate::media;

/// A boundary has 1 to 70 characters: RFC 2046, 5.1.1.
const BOUNDARY_MAX: usize = 70;

/// A part.
pub struct Part<'a> {
    /// Its headers.
    pub headers: Fields,
    /// Its content.
    pub content: &'a [u8],
}

/// The body is not made of whole parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Broken;

/// The parts between boundaries, each a field.
pub(crate) fn fields<'a>(
    boundary: &[u8],
    body: &'a [u8],
) -> Result<impl Iterator<Item = Result<Field, NoForm>> + use<'a>, NoForm> {
    let parts = parts(boundary, body).map_err(|Broken| NoForm::Broken)?;
    Ok(parts.map(|part| part.ok().and_then(field).ok_or(NoForm::Broken)))
}

/// The parts between boundaries.
///
/// # Errors
/// There is no boundary; for a part, it is not whole.
pub fn parts<'a>(
    boundary: &[u8],
    body: &'a [u8],
) -> Result<impl Iterator<Item = Result<Part<'a>, Broken>> + use<'a>, Broken> {
    if boundary.is_empty() || boundary.len() > BOUNDARY_MAX {
        return Err(Broken);
    }
    let mark: Vec<u8> = [b"\r\n--", boundary].concat();
    // The first boundary may be at the very beginning, without the line end before it.
    let mut rest = if body.starts_with(&mark[2..]) {
        Some(&body[mark.len() - 2..])
    } else {
        Some(memmem::find(body, &mark).map(|at| &body[at + mark.len()..]).ok_or(Broken)?)
    };
    Ok(std::iter::from_fn(move || {
        let behind = rest.take()?;
        if behind.starts_with(b"--") {
            return None;
        }
        match part(behind, &mark) {
            Some((part, next)) => {
                rest = Some(next);
                Some(Ok(part))
            }
            None => Some(Err(Broken)),
        }
    }))
}

/// The part that begins after a boundary, and the bytes after the next one.
fn part<'a>(behind: &'a [u8], mark: &[u8]) -> Option<(Part<'a>, &'a [u8])> {
    let blanks = behind.iter().position(|byte| !matches!(byte, b' ' | b'\t'))?;
    let content = behind[blanks..].strip_prefix(b"\r\n")?;
    let at = memmem::find(content, mark)?;
    let (content, next) = (&content[..at], &content[at + mark.len()..]);
    let end = memmem::find(content, b"\r\n\r\n").filter(|end| *end <= PART_HEAD_MAX)? + 4;
    let raw = content[..end].to_vec();
    let index = head::headers(&raw, 0).ok()?;
    Some((Part { headers: Fields::over(raw, index), content: &content[end..] }, next))
}

/// A part as a field of a form.
fn field(part: Part<'_>) -> Option<Field> {
    let disposition = String::from_utf8_lossy(part.headers.get("Content-Disposition")?).into_owned();
    let (kind, parameters) = media::split(&disposition)?;
    if !kind.eq_ignore_ascii_case("form-data") {
        return None;
    }
    let parameter = |name: &str| {
        parameters
            .iter()
            .find(|(has, _)| has.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.clone().into_bytes())
    };
    let media = part.headers.get("Content-Type").map(|media| String::from_utf8_lossy(media).into_owned());
    Some(Field { name: parameter("name")?, value: part.content.to_vec(), file: parameter("filename"), media })
}

#[cfg(test)]
mod tests {
    use crate::form::{NoForm, fields};

    const TYPE: &str = "multipart/form-data; boundary=\"x y\"";

    fn body(text: &str) -> Vec<u8> {
        text.replace('\n', "\r\n").into_bytes()
    }

    #[test]
    fn parts_are_fields() {
        let text = "before\n--x y\nContent-Disposition: form-data; name=\"A b\"\n\none\ntwo\n--x y \n\
                    content-disposition: FORM-DATA; name=f; filename=\"a\\\"b.txt\"\nContent-Type: text/plain\n\n\n--x y--\nbehind";
        let read = fields(TYPE, &body(text)).expect("a form");
        assert_eq!(read.len(), 2);
        assert_eq!(
            (read[0].name.as_slice(), read[0].value.as_slice()),
            (b"A b".as_slice(), b"one\r\ntwo".as_slice())
        );
        assert_eq!(read[1].file.as_deref(), Some(b"a\"b.txt".as_slice()));
        assert_eq!((read[1].media.as_deref(), read[1].value.len()), (Some("text/plain"), 0));
    }

    #[test]
    fn what_is_not_whole_is_no_form() {
        for text in [
            "",
            "--x y",
            "--x y\n",
            "--x y\nContent-Disposition: form-data; name=a\n\nvalue",
            "--x y\nX: y\n\nvalue\n--x y--",
            "--x y\nContent-Disposition: form-data\n\nvalue\n--x y--",
            "--x y\nContent-Disposition: attachment; name=a\n\nvalue\n--x y--",
            "--other\nContent-Disposition: form-data; name=a\n\nvalue\n--other--",
        ] {
            assert_eq!(fields(TYPE, &body(text)), Err(NoForm::Broken), "{text}");
        }
        assert_eq!(fields("multipart/form-data", b""), Err(NoForm::Broken));
    }
}
