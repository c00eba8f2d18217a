//! Records of a resource, as INQUIRE tells them.

use cmci::resource::{Of, Resource};
use cmci::target::RequestTarget;
use cmci::{Datum, Record};
use csd::ResourceType;
use kernel::catalog;
use kernel::registry::signature::{Agent, RELEASE, Signatures};
use kernel::registry::{Kind, Manager};
use spec::cmd;

use crate::criteria::{choose, may};
use crate::stop::Stop;
use crate::values::{datum, moment, text};
use crate::{definitions, region};

/// The records that a request means, in the order of their names.
pub(crate) async fn records(
    by: &Manager,
    resource: &Resource,
    target: &RequestTarget,
) -> Result<Vec<Record>, Stop> {
    let mut records = match &resource.of {
        Of::Type(name) => of_type(by, resource, kind(name)?)?,
        Of::Definitions(_) => definitions::definitions(by, resource, target)
            .await?
            .into_iter()
            .map(|found| found.record)
            .collect(),
        Of::Other(name) => others(by, name).await?,
        Of::Nothing => Vec::new(),
    };
    choose(target, &mut records, |record| record)?;
    Ok(records)
}

/// The type of a name.
pub(crate) fn kind(name: &str) -> Result<&'static Kind, Stop> {
    catalog::kind(name).ok_or_else(|| Stop::not_so("this request: the region has no such type"))
}

fn of_type(by: &Manager, resource: &Resource, kind: &Kind) -> Result<Vec<Record>, Stop> {
    may(by, kind.inquire)?;
    let seen = |name: &[u8]| by.sees(kind.inquire, name);
    let all = kind.table.tell_all(by, &seen).into_iter();
    let mut records: Vec<Record> = all
        .map(|(name, values)| {
            let mut attributes = Vec::with_capacity(values.len() + 1);
            if !kind.table.is_single() {
                let key = resource.attribute(kind.table.name().name());
                attributes.push((key, Datum::Text(text(&name))));
            }
            for (option, value) in &values {
                let attribute = resource.attribute(option.name());
                if !attributes.iter().any(|(known, _)| *known == attribute) {
                    attributes.push((attribute, datum(*option, value)));
                }
            }
            attributes.extend(region::more(by, kind.name, &name));
            attributes.extend(signed(by, kind, &name));
            Record { name, attributes }
        })
        .collect();
    if let Some(only) = &resource.only {
        records.retain(|record| only.holds(record));
    }
    Ok(records)
}

/// The signature of a resource with a definition: its maker, and when.
fn signed(by: &Manager, kind: &Kind, name: &[u8]) -> Vec<(String, Datum)> {
    let Some(defined) = kind.defined else { return Vec::new() };
    let signatures = Signatures::of(&by.region);
    let Some(own) = signatures.get(defined.resource, name) else { return Vec::new() };
    let source = own.group.clone();
    // Of a part of a BUNDLE the rest is that one's.
    let (signature, installer) = match own.agent {
        Agent::Bundle => {
            let bundle = signatures.get(ResourceType::Bundle, source.as_bytes());
            (bundle.unwrap_or(own), Some("BUNDLE"))
        }
        _ => (own, None),
    };
    let agents = match signature.agent {
        Agent::Text => ("CSDBATCH", "GRPLIST"),
        Agent::Create => ("CREATESPI", "CREATESPI"),
        Agent::Csd => ("CSDAPI", "CSDAPI"),
        Agent::Bundle => ("BUNDLE", "BUNDLE"),
    };
    let word = |word: &str| Datum::Word(word.to_owned());
    let when = || Datum::Text(moment(signature.abstime));
    let user = || Datum::Text(signature.user.to_string());
    let told = [
        ("changeagent", word(agents.0)),
        ("changeagrel", Datum::Text(text(RELEASE))),
        ("changetime", when()),
        ("changeusrid", user()),
        ("definesource", Datum::Text(source)),
        ("definetime", when()),
        ("installagent", word(installer.unwrap_or(agents.1))),
        ("installtime", when()),
        ("installusrid", user()),
    ];
    told.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

async fn others(by: &Manager, name: &str) -> Result<Vec<Record>, Stop> {
    Ok(match name {
        "PARAMETERS" => {
            may(by, cmd::INQUIRE_SYSTEM)?;
            region::parameters(&by.region)
        }
        "BUNDLEPART" => {
            may(by, cmd::INQUIRE_BUNDLEPART)?;
            region::bundle_parts(by)
        }
        "LIBRARY" => {
            may(by, cmd::INQUIRE_PROGRAM)?;
            region::library(&by.region)
        }
        "LIBRARYDSN" => {
            may(by, cmd::INQUIRE_PROGRAM)?;
            region::library_folders(&by.region)
        }
        _ => definitions::groups_and_lists(by, name).await?,
    })
}
