//! Time in a hub: slow clients are let go, and instances see that there is a new copy of their program.

use std::time::Duration;

use super::Patience;
use super::state::{HubState, NOT_WHOLE};
use crate::connection::Turn;
use crate::limits::{DRAIN_TICKS, STARTS_PER_TICK, TICKS_PER_SECOND};
use crate::scenario::Scenario;

/// A time in ticks, at least one.
pub(crate) fn ticks(time: Duration) -> u32 {
    let ticks = time.as_millis() * u128::from(TICKS_PER_SECOND) / 1000;
    u32::try_from(ticks).unwrap_or(u32::MAX).max(1)
}

impl HubState {
    /// A tick has passed. `copies` tells of a scenario's program.
    pub(super) fn ticks(&mut self, copies: impl Fn(&Scenario) -> u64) {
        self.tick = self.tick.wrapping_add(1);
        for at in 0..self.table.lanes.len() {
            let lane = &mut self.table.lanes[at];
            lane.starts = STARTS_PER_TICK;
            let copies = copies(&lane.scenario);
            if std::mem::replace(&mut lane.copies, copies) != copies {
                lane.useless = 0;
                // They see that they are old.
                self.idle.iter().filter(|waiter| waiter.lane == at).for_each(|one| one.waker.wake_by_ref());
            }
            self.expire(at);
        }
        for place in 0..self.connections.len() {
            self.look_for_silence(place as u32);
        }
    }

    /// Messages that have waited for too long are refused.
    fn expire(&mut self, at: usize) {
        let most = ticks(self.table.lanes[at].scenario.said.time);
        while let Some(place) = self.table.lanes[at].queue.front().copied() {
            let since = self.connections[place as usize].as_ref().map(|connection| connection.since);
            if since.is_some_and(|since| self.tick.wrapping_sub(since) <= most) {
                return;
            }
            self.table.lanes[at].queue.pop_front();
            self.table.lanes[at].scenario.counts.queued.one_less();
            self.refuse(place, at);
        }
    }

    fn look_for_silence(&mut self, place: u32) {
        let Some(connection) = &mut self.connections[place as usize] else { return };
        let waited = self.tick.wrapping_sub(connection.since);
        let Patience { idle, receive } = self.patience;
        match connection.turn {
            Turn::Receives if connection.is_between() && (idle == 0 || waited <= idle) => {}
            Turn::Receives if connection.is_between() => self.leaves(place),
            Turn::Receives if waited > receive => {
                connection.refuse(NOT_WHOLE, self.tick);
                self.rung.push_quietly(place);
            }
            Turn::Sends if waited > receive => self.leaves(place),
            Turn::InHand if !connection.is_late => {
                let lane = connection.request.as_ref().map_or(0, |request| request.lane);
                if waited > ticks(self.table.lanes[lane].scenario.said.time) {
                    connection.is_late = true;
                    if let Some(control) = self.controls.get(&connection.instance) {
                        control.force_purge();
                    }
                }
            }
            Turn::Checks => {
                let lane = connection.request.as_ref().map_or(0, |request| request.lane);
                if waited > ticks(self.table.lanes[lane].scenario.said.time) {
                    self.refuse(place, lane);
                }
            }
            Turn::Drains if waited > DRAIN_TICKS => self.leaves(place),
            _ => {}
        }
    }
}
