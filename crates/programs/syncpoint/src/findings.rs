//! The findings of `check`, for other programs: JSON of our own, and SARIF 2.1.0, which code scanning takes.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use command_line::terminal::path_from_here;
use config::REGION_FILE;
use diagnostics::{Diagnostic, Severity, TextPlace};
use serde_json::{Value, json};
use toolchain::{Member, MemberState, Report, Summary};

const SARIF_SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";
const SARIF_VERSION: &str = "2.1.0";

/// One object: every message in order, and what became of each program and each map.
pub(crate) fn json(messages: &[Diagnostic], summary: &Summary, took: Duration) -> String {
    let failed: Vec<&str> = summary.failed.iter().map(Member::name).collect();
    let found = json!({
        "messages": messages.iter().map(message).collect::<Vec<_>>(),
        "programs": summary.programs,
        "mapsets": summary.mapsets,
        "compiled": summary.built,
        "failed": failed,
        "members": summary.reports.iter().map(|report| member(report, messages)).collect::<Vec<_>>(),
        "seconds": took.as_secs_f64(),
    });
    format!("{found:#}")
}

/// A program or mapset; its errors by their places among the messages.
fn member(report: &Report, messages: &[Diagnostic]) -> Value {
    let kind = match report.member {
        Member::Program(_) => "program",
        Member::Mapset(_) => "mapset",
    };
    let state = match report.state {
        MemberState::Compiled => "compiled",
        MemberState::Refused => "refused",
        MemberState::Failed => "failed",
    };
    let place = |error| messages.iter().position(|message| message == error);
    json!({
        "kind": kind,
        "name": report.member.name(),
        "state": state,
        "errors": report.errors.iter().filter_map(place).collect::<Vec<_>>(),
    })
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
fn place(place: &TextPlace) -> Value {
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
fn location(place: Option<&TextPlace>) -> Value {
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

    /// Looks at a log by the rules of SARIF 2.1.0 for the properties that stand in ours.
    fn check_log(log: &Value) {
        assert_eq!(log["version"], "2.1.0");
        only(log, &["$schema", "version", "runs"]);
        let [run] = list(&log["runs"]) else { panic!("one run") };
        only(run, &["tool", "columnKind", "results"]);
        assert!(["utf16CodeUnits", "unicodeCodePoints"].contains(&text(&run["columnKind"])));
        let driver = &run["tool"]["driver"];
        only(&run["tool"], &["driver"]);
        only(driver, &["name", "version", "rules"]);
        assert!(!text(&driver["name"]).is_empty());
        let rules = list(&driver["rules"]);
        for (at, rule) in rules.iter().enumerate() {
            only(rule, &["id", "shortDescription", "help", "defaultConfiguration"]);
            assert!(!text(&rule["id"]).is_empty() && !rules[..at].contains(rule));
            check_message(&rule["shortDescription"]);
            check_message(&rule["help"]);
            only(&rule["defaultConfiguration"], &["level"]);
            check_level(&rule["defaultConfiguration"]["level"]);
        }
        for result in list(&run["results"]) {
            check_result(result, rules);
        }
    }

    fn check_result(result: &Value, rules: &[Value]) {
        only(result, &["ruleId", "ruleIndex", "level", "message", "locations", "relatedLocations"]);
        check_level(&result["level"]);
        check_message(&result["message"]);
        let rule = &rules[number(&result["ruleIndex"]) as usize];
        assert_eq!(result["ruleId"], rule["id"]);
        for location in list(&result["locations"]) {
            only(location, &["physicalLocation"]);
            check_place(&location["physicalLocation"]);
        }
        let related = list(&result["relatedLocations"]);
        for (at, location) in related.iter().enumerate() {
            only(location, &["physicalLocation", "id", "message"]);
            check_place(&location["physicalLocation"]);
            check_message(&location["message"]);
            assert!(related[..at].iter().all(|other| other["id"] != location["id"]));
            number(&location["id"]);
        }
    }

    fn check_place(place: &Value) {
        only(place, &["artifactLocation", "region"]);
        only(&place["artifactLocation"], &["uri"]);
        let uri = text(&place["artifactLocation"]["uri"]);
        let is_reference = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/:%".contains(&byte);
        assert!(!uri.is_empty() && uri.bytes().all(is_reference), "{uri}");
        assert!(!uri.contains(':') || uri.starts_with("file:///"), "{uri}");
        let region = &place["region"];
        only(region, &["startLine", "startColumn", "endColumn"]);
        // They count from 1, and the last column is one behind the text.
        assert!(number(&region["startLine"]) >= 1, "{region}");
        if let Some(end) = region.get("endColumn") {
            let start = number(&region["startColumn"]);
            assert!(start >= 1 && number(end) > start, "{region}");
        }
    }

    fn check_level(level: &Value) {
        assert!(["none", "note", "warning", "error"].contains(&text(level)));
    }

    fn check_message(message: &Value) {
        only(message, &["text"]);
        assert!(!text(&message["text"]).is_empty(), "{message}");
    }

    /// All properties of an object are known.
    fn only(object: &Value, known: &[&str]) {
        let object = object.as_object().unwrap_or_else(|| panic!("{object} is no object"));
        object.keys().for_each(|name| assert!(known.contains(&name.as_str()), "{name} of {object:?}"));
    }

    fn list(value: &Value) -> &[Value] {
        value.as_array().unwrap_or_else(|| panic!("{value} is no list"))
    }

    fn text(value: &Value) -> &str {
        value.as_str().unwrap_or_else(|| panic!("{value} is no text"))
    }

    fn number(value: &Value) -> u64 {
        value.as_u64().unwrap_or_else(|| panic!("{value} is no whole number"))
    }

    #[test]
    fn every_log_follows_the_rules_of_sarif() {
        let source = Source::new("/else where/COPY#1.cpy", "eins\nzwei \u{e4}\n");
        let map = Source::new("maps/PAY.bms (symbolic map)", "01 PAYI.\n");
        let place = |line, column, length| TextPlace::new(&source, line, column, length);
        let mut copied =
            Diagnostic::error("SPTR090", "'X' is not defined").at(place(2, 1, 3)).help("define it");
        copied.through = vec![place(1, 1, 4), place(2, 0, 0), place(2, 0, 0)];
        let logs: [&[Diagnostic]; 4] = [
            &[],
            &[Diagnostic::warning("SPRG006", "program P has no source")],
            &[
                copied.clone(),
                copied,
                Diagnostic::new(Severity::Note, "SPTC009", "errors that are not shown: 2"),
            ],
            &[
                Diagnostic::error("SPTR001", "says 'nothing'").at(place(0, 0, 0)).label("a label"),
                Diagnostic::error("SPTR001", "again").at(TextPlace::new(&map, 1, 4, 4)),
            ],
        ];
        for messages in logs {
            let log: Value = serde_json::from_str(&sarif(messages)).expect("JSON");
            check_log(&log);
            assert_eq!(list(&log["runs"][0]["results"]).len(), messages.len());
        }
    }

    #[test]
    fn a_message_is_a_result_of_its_rule() {
        let source = Source::new("app/PAY ROLL.cbl", "one\ntwo\n");
        let messages = [
            Diagnostic::error("SPTR090", "'X' is not defined")
                .at(TextPlace::new(&source, 2, 1, 3))
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
