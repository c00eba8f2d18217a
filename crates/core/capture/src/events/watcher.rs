//! The eyes of event processing: commands at which something is captured pass them.

use std::collections::HashMap;
use std::sync::Arc;

use kernel::exec::{Call, Waiting, Wants, Watcher};
use kernel::raise::Outcome;
use kernel::task::Task;
use kernel::transactions::Supplied;
use policies::CapturePoint;
use spec::CommandId;

use super::binding::Binding;
use super::capturing::{Seen, is_before, response};
use super::emission::{Emitting, pass_on};
use super::points;

/// Captures by their place: the binding, and the place of the capture in it.
type Captures = Vec<(Arc<Binding>, usize)>;

/// The captures that are enabled.
#[derive(Default)]
pub(super) struct Eyes {
    before: HashMap<CommandId, Captures>,
    after: HashMap<CommandId, Captures>,
    begins: Captures,
}

impl Eyes {
    pub fn new(bindings: &[Arc<Binding>]) -> Self {
        let mut eyes = Self::default();
        for binding in bindings {
            for (place, capturing) in binding.captures.iter().enumerate() {
                let point = &capturing.specification.point;
                match point {
                    CapturePoint::Command { words, .. } => {
                        let commands = points::of_words(words).map_or(&[][..], |point| point.commands);
                        for command in commands {
                            let is_before = is_before(point, points::never_comes_back(*command));
                            let map = if is_before { &mut eyes.before } else { &mut eyes.after };
                            map.entry(*command).or_default().push((Arc::clone(binding), place));
                        }
                    }
                    CapturePoint::ProgramInit => eyes.begins.push((Arc::clone(binding), place)),
                    CapturePoint::System(_) => {}
                }
            }
        }
        eyes
    }

    /// Returns true if nothing is captured.
    pub fn is_empty(&self) -> bool {
        self.before.is_empty() && self.after.is_empty() && self.begins.is_empty()
    }
}

/// Looks at a place, and has what is captured there emitted.
async fn look(task: &mut Task, call: Option<&Call<'_>>, outcome: Outcome, captures: &Captures) -> Outcome {
    // What the region's own tasks do is no event of the application, and an emission is none.
    let is_own = task.transaction.supplied == Supplied::Internal;
    if is_own || task.kept.get::<Emitting>().is_some_and(|emitting| emitting.0) {
        return Ok(());
    }
    for (binding, place) in captures {
        let capturing = &binding.captures[*place];
        let seen = Seen { task, call, response: response(&outcome) };
        if let Some(event) = seen.captured(binding, capturing) {
            pass_on(task, event).await?;
        }
    }
    Ok(())
}

impl Watcher for Eyes {
    fn wants(&self) -> Wants {
        Wants::commands(self.before.keys().chain(self.after.keys()).copied(), !self.begins.is_empty())
    }

    fn before<'a>(&'a self, task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
        match self.before.get(&call.command()) {
            Some(captures) => Box::pin(look(task, Some(call), Ok(()), captures)),
            None => Box::pin(std::future::ready(Ok(()))),
        }
    }

    fn after<'a>(&'a self, task: &'a mut Task, call: &'a Call<'_>, outcome: Outcome) -> Waiting<'a> {
        match self.after.get(&call.command()) {
            Some(captures) => Box::pin(async move {
                look(task, Some(call), outcome, captures).await?;
                outcome
            }),
            None => Box::pin(std::future::ready(outcome)),
        }
    }

    fn begins<'a>(&'a self, task: &'a mut Task) -> Waiting<'a> {
        if self.begins.is_empty() {
            return Box::pin(std::future::ready(Ok(())));
        }
        Box::pin(look(task, None, Ok(()), &self.begins))
    }
}

/// The watcher of these bindings.
pub(super) fn eyes(bindings: &[Arc<Binding>]) -> Option<Arc<dyn Watcher>> {
    let eyes = Eyes::new(bindings);
    (!eyes.is_empty()).then(|| Arc::new(eyes) as Arc<dyn Watcher>)
}
