//! Sections that domains bring, by their records: every key is read within its limits, and the reference page has it.
//! `UPDATE_EXPECT=1 cargo test -p config --test sections` writes the page again.

use config::{Setting, region_with};
use diagnostics::{Diagnostic, Source};
use expect_test::expect_file;
use keys::{ALL, Key, Kind, Section, Sections};

/// The marks of the part of the page that is made of records.
const MARKS: [&str; 2] = [
    "<!-- sections: made by UPDATE_EXPECT=1 cargo test -p config --test sections -->\n",
    "<!-- end of sections -->\n",
];

/// Reads a text with settings: the values of all sections as they are shown, and the messages.
fn read(text: &str, settings: &[Setting]) -> (String, Vec<Diagnostic>) {
    let (config, messages) = region_with(&Source::new("region.toml", text), settings);
    (format!("{:?}", config.sections), messages)
}

/// Returns the values of all sections as they are shown where no key is given.
fn defaults() -> String {
    format!("{:?}", Sections::default())
}

/// Effects of a value of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    /// It is the default.
    None,
    /// The section has another value.
    Changes,
    /// It is refused.
    Refused,
}

/// Returns values of a key, and their effects.
fn values(key: &Key) -> Vec<(String, Effect)> {
    let changes = |is_so: bool| if is_so { Effect::Changes } else { Effect::None };
    match key.kind {
        Kind::Number { least, most, default } => {
            let within = [least, most, default].map(|value| (value.to_string(), changes(value != default)));
            let below = i64::from(least) - 1;
            let beyond = [below, i64::from(most) + 1].map(|value| (value.to_string(), Effect::Refused));
            let others = ["\"1\"", "true"].map(|value| (value.to_owned(), Effect::Refused));
            within.into_iter().chain(beyond).chain(others).collect()
        }
        Kind::Flag { default } => {
            let flags = [true, false].map(|value| (value.to_string(), changes(value != default)));
            let others = ["1", "\"yes\""].map(|value| (value.to_owned(), Effect::Refused));
            flags.into_iter().chain(others).collect()
        }
        Kind::Choice { words, default } => {
            let word = |(place, word): (usize, &&str)| {
                [format!("{word:?}"), format!("{:?}", word.to_uppercase())]
                    .map(|word| (word, changes(place != default)))
            };
            let others = ["\"something\"", "1"].map(|value| (value.to_owned(), Effect::Refused));
            words.iter().enumerate().flat_map(word).chain(others).collect()
        }
        Kind::Names { resource, .. } => {
            let other = if resource.is_some() { Effect::Refused } else { Effect::Changes };
            let names = [("\"one\"", Effect::Changes), ("[\"one\", \"two*\"]", other)];
            let others = [("[]", Effect::None), ("1", Effect::Refused)];
            names.into_iter().chain(others).map(|(value, effect)| (value.to_owned(), effect)).collect()
        }
    }
}

fn each(mut look: impl FnMut(&'static Section, &'static Key)) {
    ALL.iter().for_each(|section| section.keys.iter().for_each(|key| look(section, key)));
}

#[test]
fn every_key_counts_within_its_limits_and_is_refused_beyond_them() {
    each(|section, key| {
        for (value, effect) in values(key) {
            let text = format!("[{}]\n{} = {value}\n", section.name, key.name);
            let (shown, messages) = read(&text, &[]);
            let lines: Vec<_> =
                messages.iter().map(|message| message.place.as_ref().map(|place| place.line)).collect();
            let expected = if effect == Effect::Refused { vec![Some(2)] } else { Vec::new() };
            assert_eq!(lines, expected, "{text}");
            // Names that are no resource's are reported, and there all the same.
            if effect != Effect::Refused || !matches!(key.kind, Kind::Names { .. }) {
                assert_eq!(shown != defaults(), effect == Effect::Changes, "{text}");
            }
        }
    });
}

#[test]
fn every_key_has_a_variable() {
    each(|section, key| {
        let name = format!("SYNCPOINT_{}_{}", section.name, key.name).to_uppercase().replace('-', "_");
        let changing = values(key).into_iter().filter(|(_, effect)| *effect == Effect::Changes);
        for (value, _) in changing {
            let setting = Setting::variable(&name, &value).expect("a setting");
            let (shown, messages) = read("", &[setting]);
            assert!(messages.is_empty() && shown != defaults(), "{name}={value}");
        }
    });
}

#[test]
fn a_key_that_a_section_does_not_have_is_refused() {
    for section in ALL {
        let (shown, messages) = read(&format!("[{}]\nno-such-key = 1\n", section.name), &[]);
        let texts: Vec<String> = messages.iter().map(|message| message.render(false)).collect();
        assert!(texts.len() == 1 && texts[0].contains("`no-such-key` is not a key"), "{texts:?}");
        assert_eq!(shown, defaults());
    }
}

#[test]
fn the_page_has_every_section() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).expect("the page");
    let (before, rest) = page.split_once(MARKS[0]).expect("the mark of the beginning");
    let (_, behind) = rest.split_once(MARKS[1]).expect("the mark of the end");
    let sections: Vec<String> = ALL.iter().map(|section| section.page()).collect();
    let expected = [before, MARKS[0], "\n", &sections.join("\n"), "\n", MARKS[1], behind].concat();
    expect_file!["../README.md"].assert_eq(&expected);
}
