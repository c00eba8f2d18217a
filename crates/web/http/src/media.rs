//! Media types: `type/subtype; name=value`.

use crate::fields::is_token;

/// A media type with its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MediaType {
    essence: String,
    parameters: Vec<(String, String)>,
}

impl MediaType {
    /// Reads a Content-Type.
    pub fn parse(text: &str) -> Option<Self> {
        let (essence, parameters) = split(text)?;
        let (kind, subkind) = essence.split_once('/')?;
        let fine = is_token(kind.as_bytes()) && is_token(subkind.as_bytes());
        fine.then(|| Self { essence: essence.to_ascii_lowercase(), parameters })
    }

    /// `type/subtype` in lower case.
    pub fn essence(&self) -> String {
        self.essence.clone()
    }

    /// A parameter's value.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters
            .iter()
            .find(|(has, _)| has.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// The character set it names.
    pub fn charset(&self) -> Option<&str> {
        self.parameter("charset")
    }

    /// Returns true if it is text, which may be translated: `text/…`, XML and JSON by any name, forms.
    pub fn is_text(&self) -> bool {
        let essence = self.essence.as_str();
        essence.starts_with("text/")
            || essence.ends_with("+xml")
            || essence.ends_with("+json")
            || matches!(
                essence,
                "application/xml"
                    | "application/json"
                    | "application/javascript"
                    | "application/x-www-form-urlencoded"
            )
    }
}

/// Splits the text before the first semicolon from the parameters after it. Values may be quoted.
pub(crate) fn split(text: &str) -> Option<(&str, Vec<(String, String)>)> {
    let (first, mut rest) = text.split_once(';').map_or((text, ""), |(first, rest)| (first, rest));
    let mut parameters = Vec::new();
    while !rest.trim().is_empty() {
        let (name, behind) = match rest.split_once('=') {
            Some((name, behind)) => (name.trim(), behind),
            None => return None,
        };
        if name.is_empty() {
            return None;
        }
        let (value, next) = value(behind)?;
        parameters.push((name.trim_start_matches(';').trim().to_owned(), value));
        rest = next;
    }
    Some((first.trim(), parameters))
}

/// A value, and the text after the semicolon that ends it.
fn value(text: &str) -> Option<(String, &str)> {
    let Some(quoted) = text.trim_start().strip_prefix('"') else {
        let (value, rest) = text.split_once(';').unwrap_or((text, ""));
        return Some((value.trim().to_owned(), rest));
    };
    let mut value = String::new();
    let mut characters = quoted.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => {
                let rest = quoted[at + 1..].trim_start();
                let next = rest.strip_prefix(';');
                return (next.is_some() || rest.is_empty()).then_some((value, next.unwrap_or_default()));
            }
            '\\' => value.push(characters.next()?.1),
            _ => value.push(character),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_has_parameters() {
        let media =
            MediaType::parse("Text/XML; Charset=\"utf-8\" ; action=\"a;\\\"b\"").expect("a media type");
        assert_eq!((media.essence().as_str(), media.charset()), ("text/xml", Some("utf-8")));
        assert_eq!(media.parameter("ACTION"), Some("a;\"b"));
        assert!(media.is_text());
        assert_eq!(MediaType::parse("a/b;").map(|media| media.is_text()), Some(false));
        for text in ["", "text", "text/", "a b/c", "a/b; c", "a/b; c=\"d", "a/b; =c"] {
            assert_eq!(MediaType::parse(text), None, "{text}");
        }
    }
}
