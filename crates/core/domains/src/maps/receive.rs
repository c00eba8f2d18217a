//! RECEIVE MAP.

use bms::ReceiveError;
use spec::{cmd, cond, opt};

use super::{map_of, mapset, names, terminal};
use crate::commands::terminals::{receive_input, translates};
use kernel::exec::call::Delivery;
use kernel::exec::{Answers, Call, Handler, Waiting};
use kernel::raise::RaiseCondition;
use kernel::task::Task;

/// These commands.
pub(super) const HANDLERS: Answers = &[(cmd::RECEIVE_MAP, Handler::Waits(receive_map))];

/// RECEIVE MAP: the input that started the task, or the next one.
fn receive_map<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let terminal = terminal(task)?;
        let (set_name, map_name) = names(call)?;
        let set = mapset(task, set_name).await?;
        let map = map_of(&set, (set_name, map_name))?;
        let input = receive_input(task, &terminal).await?;
        let upper_case = translates(task, &terminal) && !call.keyword(opt::ASIS);
        let code_page = task.region.options.terminal_code_page;
        let received = bms::receive_map(map, &input, terminal.size(), code_page, upper_case);
        let record = received.map_err(|error| match error {
            ReceiveError::MapFail { .. } => cond::MAPFAIL.raise(0),
            ReceiveError::OutputOnly { .. } => cond::INVREQ.raise(0),
            ReceiveError::MapTooLarge { .. } => cond::INVMPSZ.raise(0),
        })?;
        if call.has(opt::SET) {
            return call.deliver(&record, Delivery::PLAIN, |data| task.hold(data));
        }
        // The symbolic map is what INTO holds: it is never longer than its area.
        call.put(opt::INTO, &record)
    })
}
