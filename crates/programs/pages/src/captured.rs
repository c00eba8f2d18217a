//! The captures of SIGNAL EVENT, as lines of a test.

use serde_json::Value;

use crate::house::House;

/// Of each event of a file, a line: its name, and what was captured of FROM or the containers.
pub fn lines(house: &House, words: &[String]) -> Vec<String> {
    let Some(file) = words.first() else { return Vec::new() };
    let text = std::fs::read_to_string(house.state.join("events").join(file)).unwrap_or_default();
    text.lines().map(line).collect()
}

fn line(event: &str) -> String {
    let Ok(event) = serde_json::from_str::<Value>(event) else { return format!("{event} is no JSON") };
    let name = event["event"].as_str().unwrap_or_default();
    let given = ["data", "containers"].into_iter().find_map(|key| event.get(key));
    given.map_or_else(|| name.to_owned(), |given| format!("{name} {given}"))
}
