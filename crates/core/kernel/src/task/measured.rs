//! Figures that a task which is monitored adds to its record beside its requests and waits.

use spec::{CommandId, cmd};

use super::Task;
use crate::channels::Channel;
use crate::meters::{Figure, Stopwatch, Timed, UsedFigure, UsedKind, UsedName};
use crate::monitoring::{self, Monitoring, RecordType, Switch};
use crate::name::{Name, Name8};
use crate::waits::WaitKind;

/// A resource that the command in hand uses, if records of the resource class are written.
#[derive(Debug)]
pub(crate) struct Using {
    kind: UsedKind,
    name: UsedName,
    watch: Stopwatch,
    /// Waits for files, and for what regions share, before it.
    waited: [Timed; 2],
}

/// Waits that a file's records have of their own: for its data set, and for what regions share.
const FILE_WAITS: [(UsedFigure, &[WaitKind]); 2] = [
    (UsedFigure::FileWait, &[WaitKind::FILE]),
    (UsedFigure::FileSharedWait, &[WaitKind::RECORD_LOCK, WaitKind::RECORD_SERVER]),
];

impl Task {
    /// Adds to a count, if the task is monitored.
    #[inline]
    pub fn adds(&self, figure: Figure, count: usize) {
        if let Some(performance) = self.performance() {
            performance.add(figure, count as u64);
        }
    }

    /// A clock for a part of its work, which stands if the task is not monitored.
    #[inline]
    pub fn stopwatch(&self) -> Stopwatch {
        Stopwatch::start(self.performance())
    }

    /// Adds what has passed to a clock.
    #[inline]
    pub fn stops(&self, watch: Stopwatch, figure: Figure) {
        watch.stop(self.performance(), figure);
    }

    /// The command in hand uses this resource: records of the resource class tell it.
    #[inline]
    pub fn begins_use(&mut self, kind: UsedKind, name: impl AsRef<[u8]>) {
        if let Some(performance) = self.control.performance()
            && performance.classes.resource
        {
            let watch = Stopwatch::start(Some(performance));
            let waited = FILE_WAITS.map(|(_, kinds)| performance.waited(kinds));
            self.using = Some(Box::new(Using { kind, name: Name::new(name), watch, waited }));
        }
    }

    /// A command that used a file is over.
    #[cold]
    pub(crate) fn ends_use(&mut self, using: &Using, command: CommandId) {
        let (Some(performance), Some(passed)) = (self.control.performance(), using.watch.passed()) else {
            return;
        };
        let figure = match command {
            cmd::READ => Some(UsedFigure::FileGet),
            cmd::REWRITE => Some(UsedFigure::FilePut),
            cmd::READNEXT | cmd::READPREV => Some(UsedFigure::FileBrowse),
            cmd::WRITE => Some(UsedFigure::FileAdd),
            cmd::DELETE => Some(UsedFigure::FileDelete),
            _ => None,
        };
        let figures = figure.map(|figure| (figure, passed));
        let waits = FILE_WAITS.iter().zip(using.waited);
        let waits = waits.map(|((figure, kinds), before)| (*figure, performance.waited(kinds).since(before)));
        let all: Vec<_> = figures.into_iter().chain([(UsedFigure::FileTotal, passed)]).chain(waits).collect();
        performance.uses((using.kind, using.name, Name::BLANK), &all);
    }

    /// Adds a time to the figures of a resource, and bytes or events to further ones.
    pub fn used(
        &self,
        (kind, name, other): (UsedKind, &[u8], &[u8]),
        watch: Stopwatch,
        (clocks, counts): (&[UsedFigure], &[(UsedFigure, usize)]),
    ) {
        let (Some(performance), Some(passed)) = (self.performance(), watch.passed()) else { return };
        let clocks = clocks.iter().map(|figure| (*figure, passed));
        let counts = counts.iter().map(|(figure, count)| (*figure, Timed { time: 0, count: *count as u64 }));
        let all: Vec<_> = clocks.chain(counts).collect();
        performance.uses((kind, Name::new(name), Name::new(other)), &all);
    }

    /// A command was answered by another region. `channel`: what it has passed, and how many bytes that had before.
    pub(crate) fn has_shipped(
        &self,
        command: CommandId,
        (program, system): (Name8, Name<4>),
        channel: Option<(&Channel, usize)>,
        watch: Stopwatch,
    ) {
        let Some(performance) = self.performance() else { return };
        let with_channel = |count: Figure, bytes: Figure| {
            if let Some((_, sent)) = channel {
                performance.add(count, 1);
                performance.add(bytes, sent as u64);
            }
        };
        match command {
            cmd::LINK => {
                performance.add(Figure::ShippedLinks, 1);
                with_channel(Figure::ShippedLinksWithChannel, Figure::ChannelBytesShipped);
                if let Some((channel, _)) = channel {
                    performance.add(Figure::ChannelBytesReturned, channel.bytes() as u64);
                }
                let names = (UsedKind::Program, program.trimmed(), system.trimmed());
                self.used(names, watch, (&[UsedFigure::ShippedLinks], &[]));
            }
            cmd::START_CHANNEL => {
                with_channel(Figure::ShippedStartsWithChannel, Figure::ShippedStartChannelBytes);
            }
            _ => {}
        }
    }

    /// Writes the record of a task that goes on, and begins the next one.
    pub fn record_so_far(&self, why: RecordType) {
        monitoring::record_so_far(&self.region, &self.control, (&self.requests, self.priority), why);
    }

    /// The same where a switch of monitoring is on.
    #[inline]
    pub fn record_if(&self, switch: Switch, why: RecordType) {
        if self.performance().is_some() && Monitoring::of(&self.region).is(switch) {
            self.record_so_far(why);
        }
    }

    /// The same of a task that has been at work for as long as FREQUENCY says.
    #[inline]
    pub(crate) fn record_if_due(&self) {
        if let Some(performance) = self.performance() {
            let seconds = u64::from(Monitoring::of(&self.region).frequency_s());
            if seconds > 0 && performance.age() >= seconds * 1_000_000_000 {
                self.record_so_far(RecordType::Frequency);
            }
        }
    }
}
