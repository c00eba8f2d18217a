//! CEBR's command line: text in, a request out. Commands may be cut short to one letter.

/// The request of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Request {
    /// Nothing was typed.
    Nothing,
    /// QUEUE name.
    Queue(String),
    /// TERMINAL name: the queue of that terminal.
    Terminal(String),
    /// TOP.
    Top,
    /// BOTTOM.
    Bottom,
    /// LINE number.
    Line(i64),
    /// COLUMN number.
    Column(usize),
    /// FIND /text/.
    Find(String),
    /// PURGE.
    Purge,
    /// GET queue.
    Get(String),
    /// PUT queue.
    Put(String),
    /// Anything else.
    Unknown(String),
}

/// Reads a line.
pub(super) fn parse(line: &str) -> Request {
    let line = line.trim();
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    let (word, rest) = match line.find('/') {
        // FIND needs no blank before its text.
        Some(at) if at < word.len() => (&line[..at], &line[at..]),
        _ => (word, rest.trim()),
    };
    let upper = word.to_ascii_uppercase();
    let is = |name: &str, letters: usize| upper.len() >= letters && name.starts_with(&upper);
    let named = |make: fn(String) -> Request| match rest.split_whitespace().next() {
        Some(name) => make(name.to_owned()),
        None => Request::Unknown(line.to_owned()),
    };
    let unknown = || Request::Unknown(line.to_owned());
    match () {
        () if line.is_empty() => Request::Nothing,
        () if is("BOTTOM", 1) => Request::Bottom,
        () if is("COLUMN", 1) => rest.parse().map_or_else(|_| unknown(), Request::Column),
        () if is("FIND", 1) => Request::Find(searched(rest)),
        () if is("GET", 1) => named(Request::Get),
        () if is("LINE", 1) => rest.parse().map_or_else(|_| unknown(), Request::Line),
        // PURGE changes more than PUT: it is written out.
        () if is("PURGE", 5) && rest.is_empty() => Request::Purge,
        () if is("PUT", 3) => named(Request::Put),
        () if is("QUEUE", 1) => named(Request::Queue),
        () if is("TERMINAL", 2) => named(Request::Terminal),
        () if is("TOP", 1) => Request::Top,
        () => unknown(),
    }
}

/// The text of FIND: between two strokes, or after one.
fn searched(rest: &str) -> String {
    let text = rest.strip_prefix('/').unwrap_or(rest);
    text.strip_suffix('/').unwrap_or(text).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_as_they_are_typed() {
        let text = |text: &str| text.to_owned();
        let table = [
            ("", Request::Nothing),
            ("q ABC", Request::Queue(text("ABC"))),
            ("TERM T002", Request::Terminal(text("T002"))),
            ("T", Request::Top),
            ("b", Request::Bottom),
            ("LINE 12", Request::Line(12)),
            ("L twelve", Request::Unknown(text("L twelve"))),
            ("C 41", Request::Column(41)),
            ("FIND /two words/", Request::Find(text("two words"))),
            ("F/A", Request::Find(text("A"))),
            ("F ABC", Request::Find(text("ABC"))),
            ("PURGE", Request::Purge),
            ("PUR", Request::Unknown(text("PUR"))),
            ("PURGE ALL", Request::Unknown(text("PURGE ALL"))),
            ("PUT LOGA", Request::Put(text("LOGA"))),
            ("G LOGA", Request::Get(text("LOGA"))),
            ("GET", Request::Unknown(text("GET"))),
            ("SYSID ABCD", Request::Unknown(text("SYSID ABCD"))),
        ];
        for (line, expected) in table {
            assert_eq!(parse(line), expected, "{line}");
        }
    }
}
