//! What `check` has found, for other programs: JSON of our own, and SARIF 2.1.0, which code scanning takes.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use config::REGION_FILE;
use diagnostics::{Diagnostic, Place, Severity};
use serde_json::{Value, json};
use toolchain::{Member, Summary};

use crate::terminal::path_from_here;

const SARIF_SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";
const SARIF_VERSION: &str = "2.1.0";

/// One object: every message in order, and what became of programs and maps.
pub(crate) fn json(messages: &[Diagnostic], summary: &Summary, took: Duration) -> String {
    let failed: Vec<&str> = summary.failed.iter().map(Member::name).collect();
    let found = json!({
        "messages": messages.iter().map(message).collect::<Vec<_>>(),
        "programs": summary.programs,
        "mapsets": summary.mapsets,
        "compiled": summary.built,
        "failed": failed,
        "seconds": took.as_secs_f64(),
    });
    format!("{found:#}")
}

fn message(message: &Diagnostic) -> Value {
    json!({
        "severity": word(message.severity),
        "code": message.code,
        "message": message.message,
        "label": message.label,
        "help": message.help,
        "place": message.place.as_ref().map(place),
        "through": message.through.iter().map(place).collect::<Vec<_>>(),
    })
}

/// Line and column count from 1, in characters; a length of 0 is the rest of the line.
fn place(place: &Place) -> Value {
    json!({
        "path": path_from_here(&place.source.name),
        "line": place.line,
        "column": place.column,
        "length": place.length,
    })
}

/// The severities, by words that SARIF has for levels too.
fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Note => "note",
        Severity::Warning => "warning",
        Severity::Error => "error",
    }
}

/// A SARIF log of one run.
pub(crate) fn sarif(messages: &[Diagnostic]) -> String {
    let mut rules: BTreeMap<&str, &Diagnostic> = BTreeMap::new();
    for message in messages {
        rules.entry(message.code).or_insert(message);
    }
    let index = |code| rules.keys().position(|known| *known == code);
    let log = json!({
        "$schema": SARIF_SCHEMA,
        "version": SARIF_VERSION,
        "runs": [{
            "tool": { "driver": {
                "name": "syncpoint",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules.iter().map(|(code, first)| rule(code, first)).collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "results": messages.iter().map(|message| result(message, index(message.code))).collect::<Vec<_>>(),
        }],
    });
    format!("{log:#}")
}

/// A rule has a message's number. What it says of itself is its first message, which names no rule but shows it.
fn rule(code: &str, first: &Diagnostic) -> Value {
    let help = if first.help.is_empty() { &first.message } else { &first.help };
    json!({
        "id": code,
        "shortDescription": { "text": first.message },
        "help": { "text": help },
        "defaultConfiguration": { "level": word(first.severity) },
    })
}

fn result(message: &Diagnostic, rule: Option<usize>) -> Value {
    let parts = [&message.message, &message.label, &message.help];
    let text: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).map(String::as_str).collect();
    let copied = message.through.iter().enumerate().map(|(number, place)| {
        let mut at = location(Some(place));
        at["id"] = json!(number + 1);
        at["message"] = json!({ "text": "copied from here" });
        at
    });
    json!({
        "ruleId": message.code,
        "ruleIndex": rule,
        "level": word(message.severity),
        "message": { "text": text.join(". ") },
        "locations": [location(message.place.as_ref())],
        "relatedLocations": copied.collect::<Vec<_>>(),
    })
}

/// A place; what has none is shown at the beginning of the file that makes a folder an application.
fn location(place: Option<&Place>) -> Value {
    let name = place.map_or(REGION_FILE, |place| place.source.name.as_str());
    let name = name.strip_suffix(" (symbolic map)").unwrap_or(name);
    let mut region = json!({ "startLine": place.map_or(1, |place| place.line.max(1)) });
    if let Some(place) = place.filter(|place| place.length > 0) {
        region["startColumn"] = json!(place.column.max(1));
        region["endColumn"] = json!(place.column.max(1) + place.length);
    }
    json!({ "physicalLocation": {
        "artifactLocation": { "uri": uri(&path_from_here(name)) },
        "region": region,
    }})
}

/// A path as a reference: relative to where the command was typed, or with `file:` where it is absolute.
fn uri(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    let escaped: String = path
        .bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect();
    if Path::new(path).is_absolute() { format!("file://{escaped}") } else { escaped }
}

#[cfg(test)]
mod tests {
    use super::*;
    use diagnostics::Source;

    #[test]
    fn a_message_is_a_result_of_its_rule() {
        let source = Source::new("app/PAY ROLL.cbl", "one\ntwo\n");
        let messages = [
            Diagnostic::error("SPTR090", "'X' is not defined")
                .at(Place::new(&source, 2, 1, 3))
                .help("define it"),
            Diagnostic::warning("SPRG006", "program P has no source"),
        ];
        let log: Value = serde_json::from_str(&sarif(&messages)).expect("JSON");
        let run = &log["runs"][0];
        assert_eq!(log["version"], "2.1.0");
        assert_eq!(run["tool"]["driver"]["rules"][1]["id"], "SPTR090");
        let result = &run["results"][0];
        assert_eq!((&result["ruleId"], &result["ruleIndex"]), (&json!("SPTR090"), &json!(1)));
        assert_eq!(result["message"]["text"], "'X' is not defined. define it");
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "app/PAY%20ROLL.cbl");
        assert_eq!(place["region"], json!({ "startLine": 2, "startColumn": 1, "endColumn": 4 }));
        assert_eq!(
            run["results"][1]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
            "region.toml"
        );
        for rule in run["tool"]["driver"]["rules"].as_array().expect("rules") {
            assert!(rule["help"]["text"].as_str().is_some_and(|text| !text.is_empty()), "{rule}");
        }
    }
}
