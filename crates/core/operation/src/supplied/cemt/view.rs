//! The content of CEMT's screen, and the fields on it.

use spec::OptionId;

use super::entry::ShownEntry;
use super::shown::Shown;
use crate::supplied::panel::PanelPlace;

/// The content of the screen.
pub(super) struct View<'v> {
    /// The command as it was typed.
    pub command: &'v str,
    /// The type of the resources; `None`: the next choices are shown.
    pub kind: Option<&'static Shown>,
    /// The resources.
    pub entries: &'v [ShownEntry],
    /// The outcome for each resource, by name.
    pub notes: &'v [(Vec<u8>, String)],
    /// All attributes of the one resource.
    pub full: bool,
    /// The next choices.
    pub choices: &'v [&'v str],
    /// The outcome of a command that is about no resources.
    pub told: Option<&'v str>,
    /// The mistakes found.
    pub mistakes: &'v [String],
    /// Rows that lie above the screen.
    pub above: usize,
    /// True if the user may change anything.
    pub may_change: bool,
    /// Texts that are shown in place of the resources: help, messages.
    pub aside: Option<Aside>,
}

/// A view in place of the resources, until ENTER is pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aside {
    /// A list of the commands that may be typed, and of the keys.
    Help,
    /// All mistakes.
    Messages,
}

impl View<'_> {
    /// The text beside a resource: the outcome of its change, or that it is not there.
    pub(super) fn note(&self, entry: &ShownEntry) -> Option<&str> {
        let noted = self.notes.iter().find(|(name, _)| *name == entry.name).map(|(_, note)| note.as_str());
        noted.or(entry.values.is_none().then_some("NOT FOUND"))
    }
}

/// A field on the screen, with the resource and attribute behind it.
pub(super) struct Spot {
    /// Its place.
    pub place: PanelPlace,
    /// The resource's name.
    pub name: Vec<u8>,
    /// The attribute that may be overtyped there, and its value on the screen; `None`: the resource itself.
    pub attribute: Option<(OptionId, String)>,
}
