//! INQUIRE BUNDLEPART, which only browses.

use std::collections::VecDeque;
use std::sync::Arc;

use kernel::exec::value::Value;
use kernel::exec::{Answers, Call, Handler};
use kernel::name::Name8;
use kernel::raise::{Outcome, RaiseCondition};
use kernel::task::{Task, TaskPart};
use spec::{cmd, cond, opt};

use crate::bundle::{Bundle, Bundles};

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
    let region = Arc::clone(&task.region);
    let browse = task.kept.part::<Browse>();
    if call.keyword(opt::END) {
        return browse.0.take().map(drop).ok_or_else(no_browse);
    }
    if !call.keyword(opt::NEXT) {
        return Err(no_browse());
    }
    let (bundle, places) = browse.0.as_mut().ok_or_else(no_browse)?;
    let place = places.pop_front().ok_or(cond::END.raise(resp2::NO_MORE))?;
    let part = bundle.parts[place].shown(&region);
    call.put_value(opt::BUNDLEPART, &Value::padded(&part.name, NAME))?;
    call.put_value(opt::AVAILSTATUS, &Value::Cvda("NONE"))?;
    call.put_value(opt::ENABLESTATUS, &Value::Cvda(part.status))?;
    call.put_value(opt::METADATAFILE, &Value::padded(&part.file, NAME))?;
    call.put_value(opt::PARTCLASS, &Value::Cvda(part.class))?;
    call.put_value(opt::PARTTYPE, &Value::padded(&part.kind, NAME))
}
