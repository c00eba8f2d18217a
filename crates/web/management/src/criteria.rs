//! The criteria of a request, and the right to look.

use cmci::Record;
use cmci::answer::{Answer, Feedback};
use cmci::codes::{reason, response};
use cmci::criteria::NotCriteria;
use cmci::target::RequestTarget;
use kernel::registry::Manager;
use spec::CommandId;

use crate::stop::Stop;

const GET: &str = "GET";

/// Checks that the user may give a command of INQUIRE.
pub(crate) fn may(by: &Manager, command: CommandId) -> Result<(), Stop> {
    if by.may_do(command, None) { Ok(()) } else { Err(Stop::not_permitted(GET)) }
}

/// Keeps what the criteria of a request choose. An attribute that no record has is a mistake: NOT of it would be everything.
pub(crate) fn choose<T>(
    target: &RequestTarget,
    all: &mut Vec<T>,
    record: impl Fn(&T) -> &Record,
) -> Result<(), Stop> {
    let criteria = match &target.criteria {
        None => return Ok(()),
        Some(Ok(criteria)) => criteria,
        Some(Err(NotCriteria(why))) => return Err(no_criteria(why.clone())),
    };
    let unknown = |name: &&str| !all.iter().any(|one| record(one).get(name).is_some());
    if let Some(name) = criteria.attributes().into_iter().find(unknown).filter(|_| !all.is_empty()) {
        return Err(no_criteria(format!("no record has the attribute {name}")));
    }
    all.retain(|one| criteria.holds(record(one)));
    Ok(())
}

/// The criteria are none: why.
pub(crate) fn no_criteria(why: String) -> Stop {
    let feedback = Feedback { action: GET.to_owned(), why, ..Feedback::default() };
    let answer = Answer::of(response::INVALIDPARM, reason::CRITERIA, GET);
    Stop::Said(Box::new(Answer { errors: vec![feedback], ..answer }))
}
