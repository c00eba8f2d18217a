//! DEFINE: from what a command says to what a catalogue keeps.

use idcams::{Cluster, Log, Organization};
use records::Recovery;
use vsam::{AlternateIndex, Definition, KeyField, Path};

/// Why a definition is not carried out.
pub(crate) enum Unfit {
    /// A name is none.
    Name(vsam::Error),
    /// There are no linear data sets here.
    Linear,
}

impl From<vsam::Error> for Unfit {
    fn from(error: vsam::Error) -> Self {
        Self::Name(error)
    }
}

/// A cluster. `recoverable`: a FILE definition wants its changes backed out, whatever LOG says.
pub(crate) fn cluster(command: &Cluster, recoverable: bool) -> Result<Definition, Unfit> {
    let size = command.record_size();
    let organization = match command.organization {
        Organization::Indexed => {
            let keys = command.keys().unwrap_or(idcams::Keys { length: 1, offset: 0 });
            vsam::Organization::Keyed(field(keys))
        }
        Organization::Entry => vsam::Organization::EntrySequenced,
        Organization::Numbered => vsam::Organization::Relative,
        Organization::Linear => return Err(Unfit::Linear),
    };
    let logged = matches!(command.attributes.log, Some(Log::Undo | Log::All));
    Ok(Definition::Cluster(vsam::Cluster {
        name: command.name.text.parse()?,
        organization,
        average: size.average as usize,
        maximum: size.maximum as usize,
        recovery: if logged || recoverable { Recovery::Recoverable } else { Recovery::NonRecoverable },
        reuse: command.attributes.reuse.unwrap_or(false),
    }))
}

/// An alternate index.
pub(crate) fn alternate_index(command: &idcams::AlternateIndex) -> Result<Definition, Unfit> {
    Ok(Definition::AlternateIndex(AlternateIndex {
        name: command.name.text.parse()?,
        relate: command.relate.text.parse()?,
        key: field(command.keys()),
        unique: command.is_unique(),
        upgrade: command.upgrades(),
    }))
}

/// A path.
pub(crate) fn path(command: &idcams::Path) -> Result<Definition, Unfit> {
    Ok(Definition::Path(Path { name: command.name.text.parse()?, entry: command.entry.text.parse()? }))
}

fn field(keys: idcams::Keys) -> KeyField {
    KeyField { offset: keys.offset as usize, length: keys.length as usize }
}
