//! Form fields, as WEB READ FORMFIELD wants them: from a query string, a body of escaped pairs, or a multipart body.

use crate::limits::FORM_FIELDS_MAX;
use crate::media::MediaType;
use crate::{multipart, percent};

pub use crate::form_field::{Field, NoForm};

/// The fields of a body, by its Content-Type.
///
/// # Errors
/// See [`NoForm`].
pub fn fields(content_type: &str, body: &[u8]) -> Result<Vec<Field>, NoForm> {
    let media = MediaType::parse(content_type).ok_or(NoForm::Media)?;
    match media.essence().as_str() {
        "application/x-www-form-urlencoded" => {
            bounded(parts(body).map(|(name, value)| Ok(Field { name, value, file: None, media: None })))
        }
        "multipart/form-data" => {
            let boundary = media.parameter("boundary").ok_or(NoForm::Broken)?;
            bounded(multipart::fields(boundary.as_bytes(), body)?)
        }
        _ => Err(NoForm::Media),
    }
}

/// The fields of a query string: GET sends its form there.
///
/// # Errors
/// [`NoForm::TooMany`].
pub fn query_fields(query: &str) -> Result<Vec<Field>, NoForm> {
    bounded(parts(query.as_bytes()).map(|(name, value)| Ok(Field { name, value, file: None, media: None })))
}

fn bounded(fields: impl Iterator<Item = Result<Field, NoForm>>) -> Result<Vec<Field>, NoForm> {
    let mut bounded = Vec::new();
    for field in fields {
        if bounded.len() == FORM_FIELDS_MAX {
            return Err(NoForm::TooMany);
        }
        bounded.push(field?);
    }
    Ok(bounded)
}

/// Escaped pairs: names and values, unescaped.
pub(crate) fn parts(text: &[u8]) -> impl Iterator<Item = (Vec<u8>, Vec<u8>)> {
    text.split(|byte| *byte == b'&').filter(|pair| !pair.is_empty()).map(|pair| {
        let at = pair.iter().position(|byte| *byte == b'=');
        let (name, value) = at.map_or((pair, &[] as &[u8]), |at| (&pair[..at], &pair[at + 1..]));
        (percent::decode_form(name), percent::decode_form(value))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_pairs_are_fields() {
        let read = fields("application/x-www-form-urlencoded; charset=UTF-8", b"NAME=A%26B&name=c+d&x");
        let read = read.expect("a form");
        let shown: Vec<_> =
            read.iter().map(|field| (field.name.as_slice(), field.value.as_slice())).collect();
        let expected: [(&[u8], &[u8]); 3] = [(b"NAME", b"A&B"), (b"name", b"c d"), (b"x", b"")];
        assert_eq!(shown, expected);
        assert_eq!(fields("text/plain", b"a=b"), Err(NoForm::Media));
        assert_eq!(fields("application/x-www-form-urlencoded", &b"a&".repeat(10_001)), Err(NoForm::TooMany));
    }
}
