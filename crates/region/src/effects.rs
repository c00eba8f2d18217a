//! What of a CSD definition a region does not do: types of resources that it does not have, attributes without effect.
//!
//! Each is said once, at the first place where the texts have it. What nobody can notice (where a module is loaded, how
//! many buffers a pool has) is not said.

use csd::{Definition, ResourceType};
use diagnostics::{Diagnostic, Severity};

use crate::codes;

/// Types that are read and not installed, and what that means.
const NOT_HERE: [(ResourceType, &str); 19] = [
    (ResourceType::Atomservice, "there are no Atom feeds"),
    (ResourceType::Bundle, "there are no bundles"),
    (ResourceType::Connection, "there are no other systems: what is remote runs in this region"),
    (ResourceType::Db2conn, "there is no Db2"),
    (ResourceType::Db2entry, "there is no Db2"),
    (ResourceType::Db2tran, "there is no Db2"),
    (ResourceType::Ipconn, "there are no other systems: what is remote runs in this region"),
    (ResourceType::Jvmserver, "there are no Java programs"),
    (ResourceType::Mqconn, "there is no queue manager"),
    (ResourceType::Mqmonitor, "there is no queue manager"),
    (ResourceType::Partitionset, "screens have no partitions"),
    (ResourceType::Partner, "there are no other systems"),
    (ResourceType::Pipeline, "there are no web services"),
    (ResourceType::Processtype, "there are no business transaction services"),
    (ResourceType::Sessions, "there are no other systems"),
    (
        ResourceType::Tcpipservice,
        "listeners of terminals stand in [listen] of region.toml, those of programs in [sockets]",
    ),
    (ResourceType::Urimap, "there are no web services"),
    (ResourceType::Webservice, "there are no web services"),
    (ResourceType::Dumpcode, "a dump is written where the transaction's definition says so"),
];

/// Types that are read and not installed, which nobody notices: terminals define themselves when they connect, modules
/// and buffers are the region's own, a mapset is found by its name, and an enqueue has one region to hold in.
#[cfg(test)]
const NOT_NOTICED: [ResourceType; 6] = [
    ResourceType::Enqmodel,
    ResourceType::Library,
    ResourceType::Lsrpool,
    ResourceType::Mapset,
    ResourceType::Terminal,
    ResourceType::Typeterm,
];

/// Attributes that the region reads, by type.
const READ: [(ResourceType, &[&str]); 9] = [
    (ResourceType::Doctemplate, &["TEMPLATENAME", "HFSFILE", "MEMBERNAME"]),
    (
        ResourceType::File,
        &[
            "DSNAME",
            "ADD",
            "BROWSE",
            "DELETE",
            "READ",
            "UPDATE",
            "RLSACCESS",
            "READINTEG",
            "RECORDFORMAT",
            "RECOVERY",
            "DISPOSITION",
            "STRINGS",
            "LSRPOOLNUM",
            "KEYLENGTH",
            "RECORDSIZE",
            "STATUS",
            "OPENTIME",
            "TABLE",
            "MAXNUMRECS",
            "CFDTPOOL",
            "TABLENAME",
            "UPDATEMODEL",
            "LOAD",
        ],
    ),
    (ResourceType::Journalmodel, &["TYPE", "JOURNALNAME", "STREAMNAME"]),
    (ResourceType::Profile, &["UCTRAN", "SCRNSIZE"]),
    (ResourceType::Program, &["CONCURRENCY", "STATUS"]),
    (
        ResourceType::Tdqueue,
        &[
            "TYPE",
            "INDIRECTNAME",
            "DSNAME",
            "RECORDSIZE",
            "RECORDFORMAT",
            "TRANSID",
            "TRIGGERLEVEL",
            "ATIFACILITY",
            "FACILITYID",
            "USERID",
            "RECOVSTATUS",
            "WAITACTION",
        ],
    ),
    (ResourceType::Tranclass, &["MAXACTIVE"]),
    (
        ResourceType::Transaction,
        &[
            "PROGRAM",
            "PROFILE",
            "TWASIZE",
            "TRANCLASS",
            "PRIORITY",
            "RUNAWAY",
            "DTIMOUT",
            "ACTION",
            "SPURGE",
            "DUMP",
            "STATUS",
            "ALIAS",
            "TASKREQ",
            "XTRANID",
        ],
    ),
    (ResourceType::Tsmodel, &["XPREFIX", "PREFIX", "EXPIRYINTMIN", "LOCATION", "RECOVERY"]),
];

/// Attributes that somebody may count on and that have no effect, and what happens instead.
const WITHOUT_EFFECT: [(ResourceType, &str, &str); 27] = [
    (
        ResourceType::File,
        "FWDRECOVLOG",
        "changes are backed out; there is no log for forward recovery of this file",
    ),
    (ResourceType::File, "JOURNAL", "its requests are not journaled"),
    (ResourceType::File, "PASSWORD", "everybody who may run the transaction may use the file"),
    (ResourceType::File, "REMOTENAME", "the file is the one of this region"),
    (ResourceType::File, "REMOTESYSTEM", "the file is one of this region, and its data set too"),
    (ResourceType::Profile, "RTIMOUT", "a program waits for a terminal without end"),
    (ResourceType::Program, "DYNAMIC", "the program runs in this region"),
    (ResourceType::Program, "JVM", "the program is looked for as COBOL"),
    (ResourceType::Program, "REMOTENAME", "the program of this region by its own name runs"),
    (ResourceType::Program, "REMOTESYSTEM", "the program runs in this region"),
    (ResourceType::Program, "TRANSID", "the program runs in this region, under its caller's transaction"),
    (ResourceType::Tdqueue, "REMOTENAME", "the queue is the one of this region"),
    (ResourceType::Tdqueue, "REMOTESYSTEM", "the queue is one of this region"),
    (ResourceType::Tdqueue, "SYSOUTCLASS", "records go to a file of the queue's name"),
    (ResourceType::Tranclass, "PURGETHRESH", "tasks of the class wait, however many they are"),
    (ResourceType::Transaction, "CMDSEC", "who may use system commands is said by the rights of users.toml"),
    (ResourceType::Transaction, "DYNAMIC", "the transaction runs in this region"),
    (ResourceType::Transaction, "OTSTIMEOUT", "a task may run without end"),
    (ResourceType::Transaction, "PARTITIONSET", "screens have no partitions"),
    (ResourceType::Transaction, "REMOTENAME", "the transaction of this region by its own name runs"),
    (ResourceType::Transaction, "REMOTESYSTEM", "it runs in this region, if its program is here"),
    (ResourceType::Transaction, "RESSEC", "who may run the transaction may use all resources"),
    (ResourceType::Transaction, "RESTART", "a task that abends is not started again"),
    (ResourceType::Transaction, "STORAGECLEAR", "storage that a task gives back is not cleared"),
    (ResourceType::Transaction, "TPNAME", "the transaction has one name"),
    (ResourceType::Tsmodel, "REMOTESYSTEM", "queues are those of this region"),
    (ResourceType::Tsmodel, "SECURITY", "who may run the transaction may use the queues"),
];

/// Whether anything depends on the value of an attribute: what is wrong with another one does no harm.
pub(crate) fn matters(resource: ResourceType, attribute: &str) -> bool {
    READ.iter().any(|(read, attributes)| *read == resource && attributes.contains(&attribute))
}

/// What of the installed definitions has no effect.
pub(crate) fn without_effect(definitions: &[Definition]) -> Vec<Diagnostic> {
    types(definitions).chain(attributes(definitions)).collect()
}

fn types(definitions: &[Definition]) -> impl Iterator<Item = Diagnostic> {
    NOT_HERE.iter().filter_map(|(resource, meaning)| {
        let of_type: Vec<&Definition> = definitions.iter().filter(|d| d.resource == *resource).collect();
        let names: Vec<&str> = of_type.iter().map(|d| d.name.as_str()).collect();
        let text = format!("{resource} {} not installed", named(&names));
        let message = Diagnostic::warning(codes::NO_EFFECT, text).at(of_type.first()?.place.clone());
        Some(message.label("this region has no such resources").help(*meaning))
    })
}

fn attributes(definitions: &[Definition]) -> impl Iterator<Item = Diagnostic> {
    WITHOUT_EFFECT.iter().filter_map(|(resource, attribute, instead)| {
        let of_type = definitions.iter().filter(|d| d.resource == *resource);
        let given: Vec<_> = of_type.filter_map(|d| Some((d, d.given(attribute)?))).collect();
        let asks = |value: &str| !value.is_empty() && !["NO", "NONE"].contains(&value);
        let asked: Vec<_> = given.into_iter().filter(|(_, given)| asks(&given.value)).collect();
        let names: Vec<&str> = asked.iter().map(|(definition, _)| definition.name.as_str()).collect();
        let (_, first) = asked.first()?;
        let text = format!("{attribute} of {resource} {} no effect", named_with(&names, "has", "have"));
        let message = Diagnostic::new(Severity::Warning, codes::NO_EFFECT, text).at(first.place.clone());
        Some(message.help(*instead))
    })
}

/// Names that one message gives.
const NAMES_MAX: usize = 5;

/// `A is`, `A and B are`, `A, B, C, D, E and 7 more are`.
fn named(names: &[&str]) -> String {
    named_with(names, "is", "are")
}

pub(crate) fn named_with(names: &[&str], one: &str, several: &str) -> String {
    match names {
        [] => String::new(),
        [name] => format!("{name} {one}"),
        [first @ .., last] if names.len() <= NAMES_MAX => {
            format!("{} and {last} {several}", first.join(", "))
        }
        _ => format!("{} and {} more {several}", names[..NAMES_MAX].join(", "), names.len() - NAMES_MAX),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use csd::attributes_of;

    #[test]
    fn every_type_is_installed_or_its_absence_is_known() {
        for resource in ResourceType::ALL {
            let places = [
                READ.iter().any(|(read, _)| read == resource),
                NOT_HERE.iter().any(|(absent, _)| absent == resource),
                NOT_NOTICED.contains(resource),
            ];
            assert_eq!(places.iter().filter(|is_there| **is_there).count(), 1, "{resource}");
        }
    }

    #[test]
    fn every_attribute_is_published_and_stands_in_one_list() {
        let read = READ.iter().flat_map(|(resource, names)| names.iter().map(|name| (*resource, *name)));
        let without = WITHOUT_EFFECT.iter().map(|(resource, name, _)| (*resource, *name));
        for (resource, name) in read.chain(without.clone()) {
            assert!(attributes_of(resource).iter().any(|spec| spec.name == name), "{resource} {name}");
        }
        for (resource, name) in without {
            assert!(!matters(resource, name), "{resource} {name}");
        }
    }

    #[test]
    fn what_the_code_reads_is_in_the_list() {
        let code =
            [include_str!("definitions.rs"), include_str!("resources.rs"), include_str!("templates.rs")];
        for call in [".get(\"", ".given(\"", ".flag(\"", ".is(\"", ".number(\""] {
            for after in code.iter().flat_map(|text| text.split(call).skip(1)) {
                let name = after.split('"').next().unwrap_or_default();
                let known = READ.iter().any(|(_, names)| names.contains(&name));
                let told = WITHOUT_EFFECT.iter().any(|(_, other, _)| *other == name);
                assert!(known || told || name != name.to_uppercase(), "{name}");
            }
        }
    }
}
