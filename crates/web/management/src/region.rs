//! The region itself, and resources that it has without a type of their own.

use std::sync::{Arc, OnceLock};

use bundles::{Bundle, Bundles, ShownPart};
use cmci::{Datum, Record};
use kernel::name::Name8;
use kernel::region::Region;
use kernel::registry::Manager;
use spec::cmd;

use crate::values::hexadecimal;

/// The part of a region's configuration that CMCI shows.
#[derive(Default)]
pub struct Surroundings(OnceLock<Shown>);

/// Values that are shown.
#[derive(Clone, Debug, Default)]
struct Shown {
    parameters: Vec<(String, String)>,
    libraries: Vec<String>,
    deploys: Option<String>,
}

/// The source of parameters: region.toml takes the place of SYSIN.
const SOURCE: &str = "SYSIN";
/// The library that every region has.
const LIBRARY: &str = "DFHRPL";
/// Its published ranking.
const RANKING: i64 = 10;

impl Surroundings {
    /// Says once which system initialization parameters were given, the folders of programs, and that of bundles which are
    /// deployed.
    pub fn put(
        region: &Region,
        parameters: Vec<(String, String)>,
        libraries: Vec<String>,
        deploys: Option<String>,
    ) {
        // A region has one configuration.
        let _ = region.part::<Self>().0.set(Shown { parameters, libraries, deploys });
    }

    /// The folder of bundles that are deployed, if the configuration names one.
    pub(crate) fn deploys(region: &Region) -> Option<String> {
        Self::of(region).deploys
    }

    fn of(region: &Region) -> Shown {
        region.part::<Self>().0.get().cloned().unwrap_or_default()
    }
}

/// Attributes of a record that INQUIRE does not tell.
pub(crate) fn more(by: &Manager, kind: &str, name: &[u8]) -> Vec<(String, Datum)> {
    let options = &by.region.options;
    match kind {
        "SYSTEM" => {
            let shown = |name: Name8| Datum::Text(name.to_string());
            vec![
                ("applid".to_owned(), shown(options.applid)),
                ("cicsname".to_owned(), shown(options.applid)),
                ("sysid".to_owned(), Datum::Text(options.sysid.to_string())),
            ]
        }
        "TSQNAME" => vec![("hexname".to_owned(), Datum::Text(hexadecimal(name)))],
        _ => Vec::new(),
    }
}

fn record(name: &str, attributes: Vec<(&str, Datum)>) -> Record {
    let attributes = attributes.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    Record { name: name.as_bytes().to_vec(), attributes }
}

/// The system initialization parameters that were given.
pub(crate) fn parameters(region: &Region) -> Vec<Record> {
    let shown = Surroundings::of(region).parameters.into_iter();
    let one = |(keyword, value): (String, String)| {
        let source = Datum::Word(SOURCE.to_owned());
        record(
            &keyword,
            vec![
                ("keyword", Datum::Text(keyword.clone())),
                ("source", source),
                ("value", Datum::Text(value)),
            ],
        )
    };
    shown.map(one).collect()
}

/// The parts of all bundles that a user may know of.
pub(crate) fn bundle_parts(by: &Manager) -> Vec<Record> {
    let bundles = Bundles::of(&by.region).list().into_iter();
    let seen = bundles.filter(|bundle| by.sees(cmd::INQUIRE_BUNDLE, bundle.name().as_bytes()));
    let of_one = |bundle: Arc<Bundle>| {
        let (name, parts) = (bundle.name().to_string(), bundle.shown_parts(&by.region));
        parts
            .into_iter()
            .zip(1..)
            .map(move |(part, place)| bundle_part(&name, part, place))
            .collect::<Vec<_>>()
    };
    seen.flat_map(of_one).collect()
}

fn bundle_part(bundle: &str, part: ShownPart, place: i64) -> Record {
    let word = |word: &str| Datum::Word(word.to_owned());
    // Two bundles may have parts of one name, and so may one.
    let key = format!("{bundle:<8}{place:05}{}", part.name);
    let attributes = vec![
        ("bundle", Datum::Text(bundle.to_owned())),
        ("bundlepart", Datum::Text(part.name)),
        ("seqnumber", Datum::Number(place)),
        ("availstatus", word("NONE")),
        ("enablestatus", word(part.status)),
        ("metadatafile", Datum::Text(part.file)),
        ("partclass", word(part.class)),
        ("parttype", Datum::Text(part.kind)),
    ];
    record(&key, attributes)
}

/// The library: the folders of programs.
pub(crate) fn library(region: &Region) -> Vec<Record> {
    let folders = Surroundings::of(region).libraries;
    let text = |text: &str| Datum::Text(text.to_owned());
    let mut attributes = vec![
        ("name", text(LIBRARY)),
        ("enablestatus", Datum::Word("ENABLED".to_owned())),
        ("ranking", Datum::Number(RANKING)),
        ("numdsnames", Datum::Number(folders.len() as i64)),
    ];
    attributes.extend(folders.first().map(|first| ("dsname", text(first))));
    vec![record(LIBRARY, attributes)]
}

/// The folders of programs, one after the other.
pub(crate) fn library_folders(region: &Region) -> Vec<Record> {
    let folders = Surroundings::of(region).libraries.into_iter().zip(1..);
    let one = |(folder, place): (String, i64)| {
        record(
            &folder,
            vec![
                ("dsname", Datum::Text(folder.clone())),
                ("library", Datum::Text(LIBRARY.to_owned())),
                ("dsnum", Datum::Number(place)),
                ("searchpos", Datum::Number(place)),
            ],
        )
    };
    folders.map(one).collect()
}
