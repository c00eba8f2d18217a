//! Journal models: which log stream a journal's name leads to.

use kernel::name::Name8;

/// The destination of a journal's records: TYPE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamType {
    /// They are written to a file. There is no SMF here: its journals are files, too.
    File,
    /// They go nowhere.
    Dummy,
}

/// A JOURNALMODEL definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    /// Its name.
    pub name: Name8,
    /// The name of its journal; one that ends in `*` matches all names that begin so.
    pub journal: String,
    /// The name of the log stream, with `&USERID.`, `&APPLID.` and `&JNAME.` for parts that differ.
    pub stream_name: String,
    /// The destination of the records.
    pub stream_type: StreamType,
}

/// The stream of a journal without a model.
pub(super) const DEFAULT_STREAM: &str = "&USERID..&APPLID..&JNAME;";

/// The model that fits best: of this very name, or with the longest beginning.
pub(super) fn best(models: &[Model], name: Name8) -> Option<&Model> {
    let name = name.to_string();
    let fit = |model: &Model| match model.journal.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning).then_some(beginning.len()),
        None => (model.journal == name).then_some(usize::MAX),
    };
    models
        .iter()
        .filter_map(|model| Some((fit(model)?, model)))
        .max_by_key(|(fit, _)| *fit)
        .map(|(_, model)| model)
}

/// The name of a stream: what differs is put in; what a file's name cannot have is left out.
pub(super) fn stream_name(template: &str, applid: Name8, userid: Name8, journal: Name8) -> String {
    let mut name = template.to_ascii_uppercase();
    for (symbol, value) in [("&USERID", userid), ("&APPLID", applid), ("&JNAME", journal)] {
        for end in [".", ";"] {
            name = name.replace(&format!("{symbol}{end}"), &value.to_string());
        }
    }
    name.retain(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '$' | '@' | '#'));
    name
}

/// Letters, digits and `$ @ #`.
pub(super) fn is_journal_name(name: Name8) -> bool {
    let is_legal = |b: &u8| b.is_ascii_uppercase() || b.is_ascii_digit() || matches!(b, b'$' | b'@' | b'#');
    !name.is_blank() && name.trimmed().iter().all(is_legal)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(name: &str, journal: &str) -> Model {
        let (name, journal) = (name.into(), journal.to_owned());
        Model { name, journal, stream_name: String::new(), stream_type: StreamType::File }
    }

    #[test]
    fn the_most_particular_model_counts() {
        let models = [model("ALL", "*"), model("AUDITS", "AUD*"), model("ONE", "AUDIT1")];
        let found = |name: &str| best(&models, name.into()).map(|model| model.name.to_string());
        assert_eq!(found("AUDIT1").as_deref(), Some("ONE"));
        assert_eq!(found("AUDIT2").as_deref(), Some("AUDITS"));
        assert_eq!(found("OTHER").as_deref(), Some("ALL"));
        assert_eq!(best(&models[1..], "OTHER".into()), None);
    }

    #[test]
    fn a_stream_is_named_after_region_and_journal() {
        let named = |template| stream_name(template, "BANK".into(), "OWNER".into(), "AUDIT".into());
        assert_eq!(named(DEFAULT_STREAM), "OWNER.BANK.AUDIT");
        assert_eq!(named("PROD.&APPLID..LOG"), "PROD.BANK.LOG");
        assert_eq!(named("../x"), "..X");
    }
}
