//! The task's entries of the internal trace, and those beyond level 1.

use super::Task;
use crate::bytes::hexadecimal;
use crate::control::{Detail, DetailPoint};
use crate::limits::TRACE_DATA_MAX;
use crate::meters::{TraceEntry, TraceTable, Traced};
use crate::name::Name8;
use crate::raise::AbendCode;
use crate::region::Looks;
use crate::ticks;

/// The level at which data itself is shown.
const DATA: u8 = 3;

impl Task {
    /// Brings the commands that were noted into the trace.
    #[cold]
    #[inline(never)]
    pub(crate) fn traces_commands(&mut self) {
        if !self.recent.has_untraced() {
            return;
        }
        let (task, commands) = (self.control.number, self.recent.untraced());
        TraceTable::here(|table| {
            let (at, traced) = (ticks::now(), Traced::Command);
            for noted in commands {
                let (code, name, detail) = (noted.command, noted.program, noted.detail);
                table.add(TraceEntry { at, task, traced, code, name, detail });
            }
        });
    }

    /// The task ends.
    pub(crate) fn traces_end(&mut self, abend: Option<AbendCode>) {
        self.traces_commands();
        let name = *Name8::new(abend.unwrap_or_default().as_bytes()).as_bytes();
        self.traces(Traced::Ends, 0, name, 0);
    }

    /// One entry.
    pub(crate) fn traces(&self, traced: Traced, code: u16, name: [u8; 8], detail: u64) {
        let task = self.control.number;
        TraceTable::here(|table| {
            table.add(TraceEntry { at: ticks::now(), task, traced, code, name, detail });
        });
    }

    /// Returns true if the trace has entries beyond level 1 of some tasks.
    #[inline]
    pub fn may_be_detailed(&self) -> bool {
        self.region.looks.any(Looks::DETAILED)
    }

    /// Makes an entry of level 2 of a component, if the task has such: a function, a resource, a number, and words that are
    /// made for it.
    #[inline]
    pub fn traces_detail(
        &self,
        component: &'static str,
        (function, resource, number): (&str, &[u8], u64),
        words: impl FnOnce() -> String,
    ) {
        self.traces_point(component, DetailPoint::Event, (function, resource, number), words);
    }

    /// The same of a begin or an end.
    #[inline]
    pub fn traces_point(
        &self,
        component: &'static str,
        point: DetailPoint,
        (function, resource, number): (&str, &[u8], u64),
        words: impl FnOnce() -> String,
    ) {
        if !self.may_be_detailed() {
            return;
        }
        if let Some(by) = self.control.details(component, 2) {
            let (level, data) = (2, words());
            let data = data.as_str();
            by.note(&self.control, &Detail { component, level, point, function, resource, number, data });
        }
    }

    /// Makes an entry of level 3 of a component, if the task has such: the first bytes of data.
    #[inline]
    pub fn traces_data(&self, component: &'static str, (function, resource): (&str, &[u8]), data: &[u8]) {
        if !self.may_be_detailed() {
            return;
        }
        if let Some(by) = self.control.details(component, DATA) {
            let shown = hexadecimal(&data[..data.len().min(TRACE_DATA_MAX)]);
            by.note(
                &self.control,
                &Detail {
                    component,
                    level: DATA,
                    point: DetailPoint::Event,
                    function,
                    resource,
                    number: data.len() as u64,
                    data: &shown,
                },
            );
        }
    }
}
