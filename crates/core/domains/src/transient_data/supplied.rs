//! Queues that come with a region: programs write messages to them, and so does the region.
//!
//! They are files of the folder `messages` in the state. An application that defines a queue of the same name has its own.

use std::path::Path;

use super::{Extrapartition, FileAccess, Queue, QueueName, RecordShape, TransientData};
use kernel::limits::MESSAGE_FILE_BYTES_MAX;

/// A queue, its file, and its other names.
type Supplied = (&'static str, &'static str, &'static [&'static str]);

const QUEUES: [Supplied; 5] = [
    // Messages of CICS itself, by kind.
    (
        "CSSL",
        "MSGUSR",
        &[
            "CADL", "CAIL", "CCPI", "CDBC", "CDB2", "CDEP", "CDUL", "CIEO", "CKQQ", "CMQM", "CPIO", "CRDI",
            "CSCC", "CSCS", "CSDH", "CSDL", "CSFL", "CSKL", "CSML", "CSMT", "CSNE", "CSOO", "CSPL", "CSQL",
            "CSRL", "CSSH", "CSTL", "CSZL", "CWBO", "CWBW",
        ],
    ),
    // Language Environment: messages, and output.
    ("CESE", "CEEMSG", &[]),
    ("CESO", "CEEOUT", &[]),
    // C and PL/I.
    ("CCSO", "CCSO", &["CCSE"]),
    ("CPLI", "PLIMSG", &[]),
];

impl TransientData {
    /// Installs them, with their files in a folder.
    pub fn install_supplied(&self, folder: &Path) {
        for (name, file, others) in QUEUES {
            let name = QueueName::from(name);
            let file = Extrapartition::new(folder.join(file), RecordShape::Any)
                .for_messages(MESSAGE_FILE_BYTES_MAX)
                .for_access(FileAccess::Output);
            self.install(name, Queue::Extrapartition(file));
            for other in others {
                self.install(QueueName::from(*other), Queue::Indirect(name));
            }
        }
    }
}
