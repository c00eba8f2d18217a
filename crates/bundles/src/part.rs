//! The parts of a bundle, and INQUIRE BUNDLEPART, which only browses.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use capture::events;
use kernel::exec::value::Value;
use kernel::exec::{Answers, Call, Handler};
use kernel::name::Name8;
use kernel::raise::{Outcome, RaiseCondition};
use kernel::task::{Task, TaskPart};
use policies::{Part, PartClass};
use spec::{cmd, cond, opt};

use crate::bundle::{Bundle, Bundles};
use crate::installed::InstalledPolicy;

/// A part of a bundle.
pub(crate) struct BundlePart {
    pub part: Part,
    pub state: State,
}

/// The state of a part.
pub(crate) enum State {
    Policy(Arc<InstalledPolicy>),
    /// Of event processing.
    Event(events::Part),
    /// The bundle only names it.
    Named,
    /// It is wrong, or not built: the log says why.
    Refused,
}

impl BundlePart {
    pub fn policy(&self) -> Option<&Arc<InstalledPolicy>> {
        if let State::Policy(policy) = &self.state { Some(policy) } else { None }
    }

    pub fn is_enabled(&self) -> bool {
        match &self.state {
            State::Policy(policy) => policy.is_enabled(),
            State::Event(part) => part.is_enabled(),
            State::Named => true,
            State::Refused => false,
        }
    }

    pub fn set_enabled(&self, enabled: bool) {
        match &self.state {
            State::Policy(policy) => policy.enabled.store(enabled, Ordering::Relaxed),
            State::Event(part) => part.set_enabled(enabled),
            State::Named | State::Refused => {}
        }
    }
}

/// INQUIRE BUNDLEPART.
pub(crate) const HANDLERS: Answers = &[(cmd::INQUIRE_BUNDLEPART, Handler::Now(inquire))];

/// Characters of the name of a part, of its type and of its file.
const NAME: usize = 255;

/// RESP2, as of other browses. Recalled, not read.
mod resp2 {
    pub(super) const NO_BUNDLE: i32 = 1;
    pub(super) const NO_MORE: i32 = 2;
    pub(super) const NO_BROWSE: i32 = 1;
}

/// The browse of a task: parts that are still to come, by their places.
#[derive(Default)]
struct Browse(Option<(Arc<Bundle>, VecDeque<usize>)>);

impl TaskPart for Browse {}

/// INQUIRE BUNDLEPART START BUNDLE, NEXT and END.
fn inquire(task: &mut Task, call: &Call<'_>) -> Outcome {
    let no_browse = || cond::ILLOGIC.raise(resp2::NO_BROWSE);
    if call.keyword(opt::START) {
        let name: Name8 = call.need_name(opt::BUNDLE)?;
        let bundle = Bundles::of(&task.region).get(name).ok_or(cond::NOTFND.raise(resp2::NO_BUNDLE))?;
        let browse = task.kept.part::<Browse>();
        if browse.0.is_some() {
            return Err(no_browse());
        }
        let places = (0..bundle.parts.len()).collect();
        browse.0 = Some((bundle, places));
        return Ok(());
    }
    let browse = task.kept.part::<Browse>();
    if call.keyword(opt::END) {
        return browse.0.take().map(drop).ok_or_else(no_browse);
    }
    if !call.keyword(opt::NEXT) {
        return Err(no_browse());
    }
    let (bundle, places) = browse.0.as_mut().ok_or_else(no_browse)?;
    let place = places.pop_front().ok_or(cond::END.raise(resp2::NO_MORE))?;
    let part = &bundle.parts[place];
    let class = match part.part.class {
        PartClass::Definition => "DEFINITION",
        PartClass::Import => "IMPORT",
        PartClass::Export => "EXPORT",
        PartClass::EntryPoint => "ENTRYPOINT",
    };
    let kind = format!("http://www.ibm.com/xmlns/prod/cics/bundle/{}", part.part.kind);
    call.put_value(opt::BUNDLEPART, &Value::padded(&part.part.name, NAME))?;
    call.put_value(opt::AVAILSTATUS, &Value::Cvda("NONE"))?;
    call.put_value(opt::ENABLESTATUS, &Value::either(part.is_enabled(), "ENABLED", "DISABLED"))?;
    call.put_value(opt::METADATAFILE, &Value::padded(&part.part.path, NAME))?;
    call.put_value(opt::PARTCLASS, &Value::Cvda(class))?;
    call.put_value(opt::PARTTYPE, &Value::padded(&kind, NAME))
}
