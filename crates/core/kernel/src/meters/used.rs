//! Resources that a monitored task has used, each with times and counts: what records of the resource class tell.

use super::{Timed, columns};
use crate::name::Name;

columns! {
    /// A figure of one resource.
    pub enum UsedFigure {
        FileGet "file-get" Clock,
        FilePut "file-put" Clock,
        FileBrowse "file-browse" Clock,
        FileAdd "file-add" Clock,
        FileDelete "file-delete" Clock,
        FileTotal "file-total" Clock,
        FileWait "file-wait" Clock,
        FileSharedWait "file-shared-wait" Clock,
        QueueGet "queue-get" Clock,
        QueuePutAuxiliary "queue-put-auxiliary" Clock,
        QueuePutMain "queue-put-main" Clock,
        QueueTotal "queue-total" Clock,
        QueueWait "queue-wait" Clock,
        QueueSharedWait "queue-shared-wait" Clock,
        QueueGetBytes "queue-get-bytes" Count,
        QueuePutAuxiliaryBytes "queue-put-auxiliary-bytes" Count,
        QueuePutMainBytes "queue-put-main-bytes" Count,
        ShippedLinks "shipped-links" Clock,
        MapOpen "map-open" Clock,
        MapReceive "map-receive" Clock,
        MapSend "map-send" Clock,
        ServiceInvoke "service-invoke" Clock,
    }
}

/// The number of figures of a resource.
pub(crate) const USED_FIGURES: usize = UsedFigure::ALL.len();

/// The kind of a resource that records of the resource class tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UsedKind {
    /// A file.
    File,
    /// A queue of temporary storage.
    Queue,
    /// A program of another region, and the system.
    Program,
    /// A URIMAP for clients, and the cipher suite of the connection.
    UriMap,
    /// A WEBSERVICE, and its PIPELINE.
    WebService,
}

/// The most resources of each kind that the record of one task tells: DPLLIMIT, FILELIMIT, TSQUEUELIMIT, URIMAPLIMIT,
/// WEBSERVLIMIT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsedLimits {
    /// Files.
    pub files: u8,
    /// Queues.
    pub queues: u8,
    /// Programs of other regions.
    pub programs: u8,
    /// URIMAPs.
    pub maps: u8,
    /// WEBSERVICEs.
    pub services: u8,
}

impl Default for UsedLimits {
    fn default() -> Self {
        Self { files: 8, queues: 8, programs: 8, maps: 8, services: 8 }
    }
}

impl UsedLimits {
    fn of(self, kind: UsedKind) -> u8 {
        match kind {
            UsedKind::File => self.files,
            UsedKind::Queue => self.queues,
            UsedKind::Program => self.programs,
            UsedKind::UriMap => self.maps,
            UsedKind::WebService => self.services,
        }
    }
}

/// The name of a resource.
pub type UsedName = Name<32>;

/// A resource that a task has used.
#[derive(Clone, Debug)]
pub(crate) struct Used {
    pub kind: UsedKind,
    pub name: UsedName,
    /// The system of a program, the cipher suite of a URIMAP, the PIPELINE of a service.
    pub other: UsedName,
    pub figures: [Timed; USED_FIGURES],
}

/// Adds to the resources of a task. One beyond the limit of its kind is left out.
pub(crate) fn add(
    list: &mut Vec<Used>,
    limits: UsedLimits,
    (kind, name, other): (UsedKind, UsedName, UsedName),
    figures: &[(UsedFigure, Timed)],
) {
    let known = list.iter().position(|used| used.kind == kind && used.name == name && used.other == other);
    let place = match known {
        Some(place) => place,
        None if list.iter().filter(|used| used.kind == kind).count() < limits.of(kind).into() => {
            list.push(Used { kind, name, other, figures: [Timed::default(); USED_FIGURES] });
            list.len() - 1
        }
        None => return,
    };
    for (figure, more) in figures {
        let figure = &mut list[place].figures[*figure as usize];
        figure.time += more.time;
        figure.count += more.count;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_of_resource_has_a_limit_of_its_own() {
        let mut list = Vec::new();
        let limits = UsedLimits { files: 1, ..UsedLimits::default() };
        let once = [(UsedFigure::FileGet, Timed { time: 5, count: 1 })];
        for (kind, name) in
            [(UsedKind::File, "A"), (UsedKind::File, "B"), (UsedKind::Queue, "B"), (UsedKind::File, "A")]
        {
            add(&mut list, limits, (kind, Name::from(name), Name::BLANK), &once);
        }
        let found: Vec<_> = list.iter().map(|used| (used.kind, used.figures[0].count)).collect();
        assert_eq!(found, [(UsedKind::File, 2), (UsedKind::Queue, 1)]);
    }
}
