//! YAML as the values of JSON: what OpenAPI documents use of it. And the lines on which values stand, in either.

use std::collections::HashMap;

use saphyr_parser::{Event, Parser, ScalarStyle};
use serde_json::{Map, Number, Value};

use crate::limits::{YAML_DEPTH_MAX, YAML_NODES_MAX};

/// Reads the first document of a text.
///
/// # Errors
/// Its mistake, with the line.
pub(crate) fn read(text: &str) -> Result<Value, String> {
    let mut open: Vec<Open> = Vec::new();
    let mut anchors: HashMap<usize, (Value, usize)> = HashMap::new();
    let mut nodes = 0usize;
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| error.to_string())?;
        let at = |what: &str| format!("{what} at line {}", span.start.line());
        let (value, depth, anchor) = match event {
            Event::Scalar(text, style, anchor, _) => (scalar(&text, style), 0, anchor),
            Event::Alias(anchor) => {
                let (value, depth) = anchors.get(&anchor).ok_or_else(|| at("a reference to nothing"))?;
                // Values within values grow by references: a short text may be a long document.
                nodes = nodes.saturating_add(size(value));
                (value.clone(), *depth, 0)
            }
            Event::SequenceStart(..) | Event::MappingStart(..) if open.len() >= YAML_DEPTH_MAX => {
                return Err(at("too many values within each other"));
            }
            Event::SequenceStart(anchor, _) => {
                open.push(Open { value: Value::Array(Vec::new()), name: None, anchor, deepest: 0 });
                continue;
            }
            Event::MappingStart(anchor, _) => {
                open.push(Open { value: Value::Object(Map::new()), name: None, anchor, deepest: 0 });
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some(closed) => (closed.value, closed.deepest + 1, closed.anchor),
                None => return Err(at("an end of nothing")),
            },
            _ => continue,
        };
        nodes = nodes.saturating_add(1);
        if nodes > YAML_NODES_MAX {
            return Err(at("too many values: references within references"));
        }
        // Values are walked through and dropped by recursion.
        if open.len() + depth > YAML_DEPTH_MAX {
            return Err(at("too many values within each other"));
        }
        if anchor != 0 {
            anchors.insert(anchor, (value.clone(), depth));
        }
        match open.last_mut() {
            None => return Ok(value),
            Some(outer) => {
                outer.deepest = outer.deepest.max(depth);
                outer.take(value).map_err(|what| at(&what))?;
            }
        }
    }
    Err("the document is empty".to_owned())
}

/// A sequence or a mapping that has begun.
struct Open {
    value: Value,
    /// The name whose value comes next.
    name: Option<String>,
    anchor: usize,
    /// The depth of the deepest values in it.
    deepest: usize,
}

impl Open {
    fn take(&mut self, value: Value) -> Result<(), String> {
        match (&mut self.value, self.name.take()) {
            (Value::Object(members), Some(name)) => match members.insert(name.clone(), value) {
                Some(_) => Err(format!("{name} is there twice")),
                None => Ok(()),
            },
            (Value::Object(_), None) => {
                self.name = Some(match value {
                    Value::String(name) => name,
                    // `200:` and `true:` are names, too.
                    Value::Number(_) | Value::Bool(_) | Value::Null => value.to_string(),
                    _ => return Err("a name that is no text".to_owned()),
                });
                Ok(())
            }
            (Value::Array(items), _) => {
                items.push(value);
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

fn size(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.iter().fold(1, |sum: usize, item| sum.saturating_add(size(item))),
        Value::Object(members) => members.values().fold(1, |sum: usize, item| sum.saturating_add(size(item))),
        _ => 1,
    }
}

/// A scalar by the core schema: what is not in quotes may be a number, a truth or nothing.
fn scalar(text: &str, style: ScalarStyle) -> Value {
    if style != ScalarStyle::Plain {
        return Value::String(text.to_owned());
    }
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "true" | "True" | "TRUE" => return Value::Bool(true),
        "false" | "False" | "FALSE" => return Value::Bool(false),
        _ => {}
    }
    let is_number = text.starts_with(|it: char| it.is_ascii_digit() || matches!(it, '-' | '+' | '.'));
    let number = || {
        let whole = text.parse::<i64>().map(Number::from).or_else(|_| text.parse::<u64>().map(Number::from));
        whole.ok().or_else(|| Number::from_f64(text.parse().ok()?))
    };
    match is_number.then(number).flatten() {
        Some(number) => Value::Number(number),
        None => Value::String(text.to_owned()),
    }
}

/// The line of a value in a text of YAML or JSON, by the names and numbers that lead to it.
pub(crate) fn line_of(text: &str, path: &[String]) -> Option<usize> {
    let mut open: Vec<Step> = Vec::new();
    for event in Parser::new_from_str(text) {
        let (event, span) = event.ok()?;
        let is_scalar = matches!(event, Event::Scalar(..) | Event::Alias(_));
        let is_begun = matches!(event, Event::SequenceStart(..) | Event::MappingStart(..));
        let is_end = matches!(event, Event::SequenceEnd | Event::MappingEnd);
        if (is_scalar || is_begun) && open.last().is_none_or(|step| step.name.is_some()) {
            let here = open.iter().map(|step| step.name.as_deref().unwrap_or_default());
            if here.eq(path.iter().map(String::as_str)) {
                return Some(span.start.line());
            }
        }
        match event {
            Event::Scalar(text, ..) if open.last().is_some_and(|step| step.name.is_none()) => {
                open.last_mut()?.name = Some(text.into_owned());
                continue;
            }
            Event::SequenceStart(..) => open.push(Step { name: Some("0".to_owned()), item: Some(0) }),
            Event::MappingStart(..) => open.push(Step { name: None, item: None }),
            _ => {}
        }
        if is_end {
            open.pop();
        }
        if (is_scalar || is_end) && !is_begun {
            // The value is over.
            let Some(step) = open.last_mut() else { continue };
            step.item = step.item.map(|item| item + 1);
            step.name = step.item.map(|item| item.to_string());
        }
    }
    None
}

/// A sequence or a mapping, and where in it the next value stands.
struct Step {
    name: Option<String>,
    item: Option<usize>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn yaml_is_json_in_other_words() {
        let text =
            "a: &x {b: 1, c: '1'}\nd:\n  - *x\n  - |\n    two\n    lines\n  - -0.01\ne: ~\n200: true\n";
        let value = read(text).expect("values");
        let judge = r#"{"a":{"b":1,"c":"1"},"d":[{"b":1,"c":"1"},"two\nlines\n",-0.01],"e":null,"200":true}"#;
        assert_eq!(value, serde_json::from_str::<Value>(judge).expect("JSON"));
        let path = |path: &[&str]| path.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
        assert_eq!(line_of(text, &path(&["d", "2"])), Some(7));
        assert_eq!(line_of(text, &path(&["a", "c"])), Some(1));
        assert_eq!(line_of("{\"a\": [1,\n {\"b\": 2}]}", &path(&["a", "1", "b"])), Some(2));
        assert_eq!(line_of(text, &path(&["f"])), None);
    }

    #[test]
    fn a_document_does_not_grow_beyond_its_limit() {
        let mut text = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n".to_owned();
        for at in 1..9 {
            let before = format!("*a{}", at - 1);
            text += &format!("a{at}: &a{at} [{}]\n", [before.as_str(); 10].join(","));
        }
        let problem = read(&text).expect_err("too many");
        assert!(problem.starts_with("too many values"), "{problem}");
        let mut chain = "a0: &a0 [x]\n".to_owned();
        (1..1_000).for_each(|at| chain += &format!("a{at}: &a{at} [*a{}]\n", at - 1));
        for deep in [chain, "[".repeat(1_000) + &"]".repeat(1_000), "- ".repeat(1_000) + "x"] {
            read(&deep).expect_err("too deep");
        }
        assert!(read("a: 1\na: 2\n").expect_err("twice").contains("a is there twice at line 2"));
        assert!(read("a: [1").is_err() && read("").is_err());
    }
}
