//! CEBR looks at queues of temporary storage, item by item, and copies them from and to transient data.
//!
//! Each look is a command of this task, as CECI would have it carried out: security, conditions and recovery are those of READQ TS,
//! DELETEQ TS and their kin. Out of scope: how a queue is kept.

mod command;
mod screen;

use spec::{CommandId, cmd, cond, opt};
use tn3270::datastream::Aid;

use command::Request;
use screen::{COMMAND, Places, View, draw};

use super::desk::{Desk, Reply};
use kernel::dispatcher::{Context, SuppliedWaiting};
use kernel::exec::{Content, Flow, Parcel};
use kernel::limits::HALFWORD_LENGTH_MAX;
use kernel::raise::{Abend, Outcome, Raise, RaiseCondition};
use spec::Condition;

/// CEBR.
pub(super) fn program<'a>(context: &'a mut Context<'_>) -> SuppliedWaiting<'a> {
    Box::pin(async move {
        let mut desk = Desk::of(context.task())?;
        let text = desk.opening();
        let terminal = desk.terminal.name.to_string();
        let queue = text.split_whitespace().nth(1).map(str::to_owned);
        let mut session = Session::new(&queue.unwrap_or_else(|| queue_of(&terminal)));
        loop {
            let places = Places(Desk::whole(context.task())?.size());
            session.look(context, places.rows() as i64).await?;
            let mut desk = Desk::whole(context.task())?;
            session.show(&desk, places).await?;
            let reply = desk.read().await?;
            match reply.aid {
                Aid::Pf(3 | 15) | Aid::Clear => {
                    desk.say("CEBR BROWSE TERMINATED").await?;
                    return Ok(Flow::Return);
                }
                Aid::Enter => session.enter(context, &reply).await?,
                aid => session.turn(context, aid, places).await?,
            }
        }
    })
}

/// The queue that belongs to a terminal.
fn queue_of(terminal: &str) -> String {
    format!("CEBR{terminal}")
}

/// A user's view of a queue.
struct Session {
    queue: String,
    /// The number of items; `None` if the queue does not exist.
    items: Option<i64>,
    /// The items on the screen and after it, the first of them first.
    shown: Vec<Vec<u8>>,
    /// The row at the head of the screen: 0 is the line above the first item.
    top: i64,
    /// The first column, from 1.
    column: usize,
    hexadecimal: bool,
    help: bool,
    message: String,
    searched: String,
}

impl Session {
    fn new(queue: &str) -> Self {
        Self {
            queue: queue.to_owned(),
            items: None,
            shown: Vec::new(),
            top: 0,
            column: 1,
            hexadecimal: false,
            help: false,
            message: String::new(),
            searched: String::new(),
        }
    }

    /// Reads the items that are looked at.
    async fn look(&mut self, context: &mut Context<'_>, rows: i64) -> Outcome {
        self.shown.clear();
        let first = self.top.max(1);
        self.items = self.count(context).await?;
        let Some(items) = self.items else { return Ok(()) };
        for number in first..(items + 1).min(first + rows) {
            match self.item(context, number).await? {
                Some(item) => self.shown.push(item),
                // Another task has deleted it at this moment.
                None => break,
            }
        }
        Ok(())
    }

    /// The number of items; `None` if the queue is not there, or may not be looked at.
    async fn count(&mut self, context: &mut Context<'_>) -> Outcome<Option<i64>> {
        let read = self.read(1, true)?;
        match issued(context, &read).await? {
            cond::NORMAL | cond::LENGERR => Ok(number(&read)),
            cond::QIDERR => {
                self.message = format!("TS QUEUE {} DOES NOT EXIST", self.queue);
                Ok(None)
            }
            other => {
                self.message = format!("TS QUEUE {}: READQ TS {}", self.queue, other.name());
                Ok(None)
            }
        }
    }

    async fn item(&self, context: &mut Context<'_>, number: i64) -> Outcome<Option<Vec<u8>>> {
        let read = self.read(number, false)?;
        let condition = issued(context, &read).await?;
        Ok((condition == cond::NORMAL).then(|| bytes(&read)))
    }

    /// READQ TS of an item.
    fn read(&self, item: i64, counts: bool) -> Outcome<Parcel> {
        let mut read = self.of_queue(cmd::READQ_TS)?;
        fits(read.give(opt::ITEM, Content::Number(item)))?;
        fits(read.room(opt::INTO, HALFWORD_LENGTH_MAX))?;
        if counts {
            fits(read.room(opt::NUMITEMS, size_of::<u16>()))?;
        }
        Ok(read)
    }

    /// A command of this queue.
    fn of_queue(&self, command: CommandId) -> Outcome<Parcel> {
        let mut parcel = Parcel::new(command);
        fits(parcel.give(opt::QNAME, Content::text(&self.queue)))?;
        Ok(parcel)
    }

    async fn show(&self, desk: &Desk<'_>, places: Places) -> Outcome {
        let options = &desk.task.region.options;
        let code_page = options.terminal_code_page;
        let sysid = options.sysid.to_string();
        let view = View {
            queue: &self.queue,
            sysid: &sysid,
            items: self.items.unwrap_or(0),
            shown: &self.shown,
            top: self.top,
            column: self.column,
            hexadecimal: self.hexadecimal,
            help: self.help,
            message: &self.message,
            character: &|byte| code_page.character(byte),
        };
        desk.show(&draw(&view, places)).await
    }

    /// ENTER: the command that is typed.
    async fn enter(&mut self, context: &mut Context<'_>, reply: &Reply) -> Outcome {
        self.message.clear();
        self.help = false;
        match command::parse(reply.at(COMMAND).unwrap_or_default()) {
            Request::Nothing => {}
            Request::Unknown(text) => self.message = format!("{text} IS NOT A COMMAND OF CEBR"),
            Request::Queue(name) => *self = Self { hexadecimal: self.hexadecimal, ..Self::new(&name) },
            Request::Terminal(name) => {
                *self = Self { hexadecimal: self.hexadecimal, ..Self::new(&queue_of(&name)) };
            }
            Request::Top => self.top = 0,
            Request::Bottom => self.top = self.items.unwrap_or(0),
            Request::Line(line) => self.go_to(line),
            Request::Column(column) => self.column = column.max(1),
            Request::Find(text) => {
                self.searched = text;
                self.find(context).await?;
            }
            Request::Purge => self.purge(context).await?,
            Request::Get(name) => self.get(context, &name).await?,
            Request::Put(name) => self.put(context, &name).await?,
        }
        Ok(())
    }

    /// The other keys.
    async fn turn(&mut self, context: &mut Context<'_>, aid: Aid, places: Places) -> Outcome {
        self.message.clear();
        let page = places.rows() as i64;
        match aid {
            Aid::Pf(1 | 13) => self.help = !self.help,
            Aid::Pf(2 | 14) => self.hexadecimal = !self.hexadecimal,
            Aid::Pf(4 | 16) => self.top = 0,
            Aid::Pf(5 | 17) => self.top = self.items.unwrap_or(0),
            Aid::Pf(6 | 18) => self.find(context).await?,
            Aid::Pf(7 | 19) => self.go_to(self.top - page / 2),
            Aid::Pf(8 | 20) => self.go_to(self.top + page / 2),
            Aid::Pf(10 | 22) => self.go_to(self.top - page),
            Aid::Pf(11 | 23) => self.go_to(self.top + page),
            _ => {}
        }
        Ok(())
    }

    fn go_to(&mut self, row: i64) {
        self.top = row.clamp(0, self.items.unwrap_or(0));
    }

    /// Goes to the next item after the head of the screen that has the text.
    async fn find(&mut self, context: &mut Context<'_>) -> Outcome {
        let wanted = context.task().characters().bytes(&self.searched);
        if wanted.is_empty() {
            self.message = String::from("FIND NEEDS A TEXT: FIND /TEXT");
            return Ok(());
        }
        for number in self.top + 1..self.items.unwrap_or(0) + 1 {
            let item = self.item(context, number).await?.unwrap_or_default();
            if item.windows(wanted.len()).any(|part| part == wanted) {
                self.top = number;
                return Ok(());
            }
        }
        self.message = format!("{} IS NOT BELOW THIS LINE", self.searched);
        Ok(())
    }

    /// PURGE: deletes the queue.
    async fn purge(&mut self, context: &mut Context<'_>) -> Outcome {
        let delete = self.of_queue(cmd::DELETEQ_TS)?;
        let condition = issued(context, &delete).await?;
        self.committed(context, "DELETEQ TS", condition).await?;
        self.top = 0;
        Ok(())
    }

    /// GET: the records of a queue of transient data become items of this one; they are gone there.
    async fn get(&mut self, context: &mut Context<'_>, from: &str) -> Outcome {
        let mut records = 0;
        loop {
            let mut read = Parcel::new(cmd::READQ_TD);
            fits(read.give(opt::QUEUE, Content::text(from)))?;
            fits(read.room(opt::INTO, HALFWORD_LENGTH_MAX))?;
            let condition = issued(context, &read).await?;
            if condition != cond::NORMAL {
                let is_end = condition == cond::QZERO;
                let all = if is_end { cond::NORMAL } else { condition };
                self.committed(context, "READQ TD", all).await?;
                if is_end {
                    self.message = format!("{records} RECORDS OF TD QUEUE {from} ARE HERE NOW");
                }
                return Ok(());
            }
            let mut write = self.of_queue(cmd::WRITEQ_TS)?;
            fits(write.give(opt::FROM, Content::Bytes(bytes(&read))))?;
            let condition = issued(context, &write).await?;
            if condition != cond::NORMAL {
                return self.undone(context, "WRITEQ TS", condition).await;
            }
            records += 1;
        }
    }

    /// PUT: the items of this queue become records of one of transient data; they stay here.
    async fn put(&mut self, context: &mut Context<'_>, to: &str) -> Outcome {
        let items = self.items.unwrap_or(0);
        for number in 1..items + 1 {
            let item = self.item(context, number).await?.unwrap_or_default();
            let mut write = Parcel::new(cmd::WRITEQ_TD);
            fits(write.give(opt::QUEUE, Content::text(to)))?;
            fits(write.give(opt::FROM, Content::Bytes(item)))?;
            let condition = issued(context, &write).await?;
            if condition != cond::NORMAL {
                return self.undone(context, "WRITEQ TD", condition).await;
            }
        }
        self.committed(context, "WRITEQ TD", cond::NORMAL).await?;
        self.message = format!("{items} ITEMS ARE IN TD QUEUE {to} NOW");
        Ok(())
    }

    /// Commits the change, or backs it out if the condition is not NORMAL.
    async fn committed(&mut self, context: &mut Context<'_>, command: &str, condition: Condition) -> Outcome {
        if condition != cond::NORMAL {
            return self.undone(context, command, condition).await;
        }
        context.task().syncpoint().await
    }

    /// Backs out the change, and says why.
    async fn undone(&mut self, context: &mut Context<'_>, command: &str, condition: Condition) -> Outcome {
        context.task().rollback().await;
        self.message = format!("{command}: {}; NOTHING IS CHANGED IN RECOVERABLE QUEUES", condition.name());
        Ok(())
    }
}

/// Has a command answered.
async fn issued(context: &mut Context<'_>, parcel: &Parcel) -> Outcome<Condition> {
    match context.issue(parcel).await {
        Ok(_) => Ok(parcel.response().map_or(cond::ERROR, |(condition, _)| condition)),
        Err(Abend { code, .. }) => Err(Raise::Abend(code)),
    }
}

/// An option of our own commands fits its record.
fn fits<E>(given: Result<(), E>) -> Outcome {
    given.map_err(|_| cond::INVREQ.raise(0))
}

fn bytes(read: &Parcel) -> Vec<u8> {
    match read.content(opt::INTO) {
        Some(Content::Bytes(bytes)) => bytes,
        _ => Vec::new(),
    }
}

fn number(read: &Parcel) -> Option<i64> {
    match read.content(opt::NUMITEMS) {
        Some(Content::Number(number)) => Some(number),
        _ => None,
    }
}
