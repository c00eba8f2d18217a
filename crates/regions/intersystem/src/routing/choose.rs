//! The region that gets a task, where no program says so: the best of those that take work.
//!
//! A function of what is known of each: health and load ride in every frame of a link; what this region has sent there and has not
//! come back counts at once, so that several tasks at a moment do not all go to the one that was idle.

use crate::limits::SCORE_PER_TASK;

/// The way to a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Way {
    /// It is this one.
    Here,
    /// It is on this machine.
    Machine,
    /// It is on another machine.
    Network,
}

/// Everything that is known of a region that may get a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Candidate {
    /// The way to it.
    pub way: Way,
    /// It can be reached, and takes new work.
    pub is_open: bool,
    /// From 0 to 100.
    pub health: u8,
    /// Its tasks of MXT, in 255ths.
    pub load: u8,
    /// It is at MXT.
    pub at_mxt: bool,
    /// It is short on storage.
    pub short_on_storage: bool,
    /// Tasks that this region has routed there, and that run still.
    pub routed: u32,
    /// It was tried for this task, and has not taken it.
    pub was_tried: bool,
}

/// The best health.
const HEALTHY: u32 = 100;
/// Added for a region that is at MXT, or short on storage.
const BURDEN: u32 = 100;

/// The score of a region: the smallest one gets the task. `None`: it gets none.
fn score(one: &Candidate) -> Option<u32> {
    if !one.is_open || one.was_tried || one.health == 0 {
        return None;
    }
    let load = u32::from(one.load) * HEALTHY / u32::from(u8::MAX);
    let sick = HEALTHY.saturating_sub(one.health.into());
    let burdens = BURDEN * (u32::from(one.at_mxt) + u32::from(one.short_on_storage));
    Some(load + sick + burdens + one.routed.saturating_mul(SCORE_PER_TASK) + one.way as u32)
}

/// The place of the region that gets a task: among equals the one that `any` picks of so many.
pub(super) fn choose(all: &[Candidate], any: impl FnOnce(usize) -> usize) -> Option<usize> {
    let scores: Vec<Option<u32>> = all.iter().map(score).collect();
    let best = scores.iter().flatten().min()?;
    let equal: Vec<usize> = (0..all.len()).filter(|place| scores[*place] == Some(*best)).collect();
    equal.get(any(equal.len())).or(equal.first()).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: Candidate = Candidate {
        way: Way::Machine,
        is_open: true,
        health: 100,
        load: 0,
        at_mxt: false,
        short_on_storage: false,
        routed: 0,
        was_tried: false,
    };

    #[test]
    fn the_best_region_gets_the_task() {
        let cases: [(&str, Vec<Candidate>, Option<usize>); 12] = [
            ("there is none", vec![], None),
            ("one", vec![GOOD], Some(0)),
            ("less load", vec![Candidate { load: 128, ..GOOD }, Candidate { load: 64, ..GOOD }], Some(1)),
            ("closed", vec![Candidate { is_open: false, ..GOOD }, Candidate { load: 255, ..GOOD }], Some(1)),
            ("no health", vec![Candidate { health: 0, ..GOOD }, Candidate { load: 255, ..GOOD }], Some(1)),
            ("less health", vec![Candidate { health: 50, ..GOOD }, Candidate { load: 64, ..GOOD }], Some(1)),
            ("at MXT", vec![Candidate { at_mxt: true, ..GOOD }, Candidate { load: 200, ..GOOD }], Some(1)),
            (
                "short",
                vec![Candidate { short_on_storage: true, ..GOOD }, Candidate { load: 9, ..GOOD }],
                Some(1),
            ),
            ("tried", vec![Candidate { was_tried: true, ..GOOD }], None),
            (
                "fewer of ours",
                vec![Candidate { routed: 3, ..GOOD }, Candidate { routed: 1, ..GOOD }],
                Some(1),
            ),
            ("here first", vec![GOOD, Candidate { way: Way::Here, ..GOOD }], Some(1)),
            ("the network last", vec![Candidate { way: Way::Network, ..GOOD }, GOOD], Some(1)),
        ];
        for (what, all, expected) in cases {
            assert_eq!(choose(&all, |_| 0), expected, "{what}");
        }
    }

    #[test]
    fn equals_are_picked_at_random() {
        let all = [GOOD, Candidate { load: 200, ..GOOD }, GOOD];
        assert_eq!(choose(&all, |count| count - 1), Some(2));
        assert_eq!(choose(&all, |_| 0), Some(0));
        // A picker that does not keep to the number does no harm.
        assert_eq!(choose(&all, |count| count), Some(0));
    }

    #[test]
    fn tasks_that_come_at_a_moment_are_spread() {
        let mut all = [GOOD; 4];
        for _ in 0..100 {
            let place = choose(&all, |_| 0).expect("one is open");
            all[place].routed += 1;
        }
        assert_eq!(all.map(|one| one.routed), [25; 4]);
    }
}
