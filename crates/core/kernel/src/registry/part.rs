//! Parts of bundles that stand for something without a definition of its own: domains make them, and bundles enable, disable and
//! discard them.

use std::path::PathBuf;
use std::sync::Arc;

use super::Manager;
use crate::exec::Waiting;
use crate::name::Name8;
use crate::region::Region;

/// Looks at a part without a region: types and names of the resources that it needs.
pub type CheckPart = fn(&PartFile<'_>) -> Result<Vec<(&'static str, String)>, PartFault>;
/// Makes a part of a BUNDLE, enabled or not.
pub type MakePart = fn(&Arc<Region>, Name8, &PartFile<'_>, bool) -> Result<Box<dyn MadePart>, PartFault>;

/// A type of parts.
pub struct PartKind {
    /// Its name, less the namespace of bundles: `OSGIBUNDLE`.
    pub name: &'static str,
    /// Checks a part without a region: types and names of the resources that it needs.
    pub check: CheckPart,
    /// Makes a part of a BUNDLE, enabled or not. Work that takes longer continues after it.
    pub make: MakePart,
}

/// The file of a part.
pub struct PartFile<'a> {
    /// The part's name.
    pub name: &'a str,
    /// The text, with the values of its variables.
    pub text: &'a str,
    /// The folder in which it lies, with what belongs to it; the reason why there is none.
    pub folder: Result<PathBuf, String>,
}

/// A fault of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartFault {
    /// Line of its text, from 1; `None` where the text is in order.
    pub line: Option<usize>,
    /// The reason: a sentence.
    pub why: String,
}

/// Statuses of a part that is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartStatus {
    /// No task can use it, and none does.
    Disabled,
    /// It is wanted, and not there yet.
    Enabling,
    /// It can be used.
    Enabled,
    /// No task begins to use it, and work that began before goes on.
    Disabling,
}

impl PartStatus {
    /// The name of its CVDA.
    pub const fn cvda(self) -> &'static str {
        match self {
            Self::Disabled => "DISABLED",
            Self::Enabling => "ENABLING",
            Self::Enabled => "ENABLED",
            Self::Disabling => "DISABLING",
        }
    }
}

/// A part that is made.
pub trait MadePart: Send + Sync {
    /// Its status.
    fn status(&self, region: &Region) -> PartStatus;

    /// Begins to enable or to disable it.
    fn set_enabled(&self, region: &Arc<Region>, enabled: bool);

    /// Begins to put a newer version in its place, for work to come.
    fn phase_in(&self, region: &Arc<Region>);

    /// Waits until what was begun is done.
    ///
    /// # Errors
    /// INVREQ if it is not as it was wanted; the abend of a task that is purged while it waits.
    fn settled<'a>(&'a self, by: &'a Manager) -> Waiting<'a>;

    /// The reason why it is not enabled, though it is wanted.
    fn trouble(&self, region: &Region) -> Option<String>;

    /// Takes it away. Work that has begun goes on.
    fn remove(&self, region: &Arc<Region>);
}
