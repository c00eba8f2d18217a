//! `syncpoint trace`: the auxiliary trace, entry by entry or as the calls of a task.

use clap::Args;
use instruments::{TraceFilter, TraceForm, TraceReport};

use crate::application::Messages;
use crate::report::{ReportPlace, TRACE};

/// The arguments of `syncpoint trace`.
#[derive(Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    place: ReportPlace,
    /// Every field of each entry
    #[arg(long, conflicts_with = "tree")]
    full: bool,
    /// The calls of each task, one within the other, with their times
    #[arg(long)]
    tree: bool,
    /// Only the task of this number
    #[arg(long, value_name = "N")]
    task: Option<u64>,
    /// Only tasks of this transaction; may be given several times
    #[arg(long = "transaction", value_name = "NAME")]
    transactions: Vec<String>,
    /// Only tasks at this terminal; may be given several times
    #[arg(long = "terminal", value_name = "NAME")]
    terminals: Vec<String>,
    /// Only tasks of this user; may be given several times
    #[arg(long = "user", value_name = "USERID")]
    users: Vec<String>,
    /// Only entries of this component, as FC; may be given several times
    #[arg(long = "component", value_name = "XX")]
    components: Vec<String>,
    /// Entries at most
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    most: usize,
}

/// Prints the trace.
pub(crate) fn trace(arguments: Arguments) -> Result<(), Messages> {
    let form = match (arguments.full, arguments.tree) {
        (_, true) => TraceForm::Tree,
        (true, _) => TraceForm::Full,
        _ => TraceForm::Short,
    };
    let filter = TraceFilter {
        task: arguments.task,
        transactions: arguments.transactions,
        terminals: arguments.terminals,
        users: arguments.users,
        components: arguments.components,
    };
    let mut report = TraceReport::new(form, filter, arguments.most);
    arguments.place.each(TRACE, |bytes| report.add(bytes))?;
    print!("{}", report.text());
    Ok(())
}
