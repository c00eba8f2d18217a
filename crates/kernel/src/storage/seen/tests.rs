//! Copies of an area beside the simplest exchange there is, which looks at all bytes each time: with programs that keep to their
//! operations both mean the same.

use fastrand::Rng;

use super::*;

/// Bytes of the area.
const LENGTH: usize = 300;
/// Where its parts of windows lie.
const PART: u32 = 8192;
/// Windows that have a copy.
const WINDOWS: usize = 3;
/// Steps of a run.
const STEPS: usize = 400;

/// What must come out.
struct Model {
    area: Vec<u8>,
    windows: Vec<(Vec<u8>, Vec<u8>)>,
}

impl Model {
    fn exchange(&mut self, window: usize) {
        let (bytes, seen) = &mut self.windows[window];
        for ((own, seen), area) in bytes.iter().zip(seen.iter()).zip(&mut self.area) {
            if own != seen {
                *area = *own;
            }
        }
        bytes.copy_from_slice(&self.area);
        seen.copy_from_slice(&self.area);
    }
}

/// The same by copies.
struct Ours {
    area: Area,
    windows: Vec<(Vec<u8>, Copy)>,
    direct: bool,
}

impl Ours {
    fn exchange(&mut self, window: usize, stored: Stored<'_>) {
        let (bytes, copy) = &mut self.windows[window];
        if !self.direct && copy.is_up_to_date() && copy.is_same(PART, bytes, stored) {
            return;
        }
        copy.exchange(PART, bytes, &mut self.area, stored, self.direct);
    }
}

/// A program's operations: ranges of its records.
fn stores(rng: &mut Rng) -> Stores {
    let range = |rng: &mut Rng| {
        let from = rng.u32(..LENGTH as u32);
        if rng.u8(..8) == 0 { from..u32::MAX } else { from..from + rng.u32(..40) }
    };
    Stores::new((0..3).map(|_| (0..rng.usize(..4)).map(|_| range(rng)).collect()).collect())
}

/// Addresses of its records: in the part, in front of it, behind it, nowhere.
fn linkage(rng: &mut Rng) -> Vec<u32> {
    let address = |rng: &mut Rng| match rng.u8(..5) {
        0 => 0,
        1 => PART - rng.u32(..100),
        2 => PART + LENGTH as u32 + rng.u32(..100),
        3 => PART,
        _ => PART + rng.u32(..LENGTH as u32),
    };
    (0..3).map(|_| address(rng)).collect()
}

fn run(seed: u64, direct: bool) {
    let mut rng = Rng::with_seed(seed);
    let first: Vec<u8> = (0..LENGTH).map(|_| rng.u8(..3)).collect();
    let mut area = Area::with(&first);
    let window = |area: &mut Area| {
        let mut bytes = vec![0; LENGTH];
        let copy = Copy::of(area, &mut bytes);
        (bytes, copy)
    };
    let windows = (0..WINDOWS).map(|_| window(&mut area)).collect();
    let mut ours = Ours { area, windows, direct };
    let mut model = Model { area: first.clone(), windows: vec![(first.clone(), first); WINDOWS] };
    for step in 0..STEPS {
        let window = rng.usize(..WINDOWS);
        match rng.u8(..10) {
            // A command writes into the window.
            0..3 => {
                let from = rng.usize(..LENGTH);
                let range = from..(from + rng.usize(..30)).min(LENGTH);
                for at in range.clone() {
                    let byte = rng.u8(..3);
                    (ours.windows[window].0[at], model.windows[window].0[at]) = (byte, byte);
                }
                ours.windows[window].1.is_written(range);
            }
            // The region writes into the area: known by its place, or not.
            3 => {
                let (at, bytes) = (rng.usize(..LENGTH - 4), [rng.u8(..3), rng.u8(..3)]);
                match rng.bool() {
                    true => ours.area.write(at, &bytes),
                    false => ours.area.writer().write(at, &bytes),
                }
                model.area[at..at + bytes.len()].copy_from_slice(&bytes);
            }
            // A program runs, and rests.
            _ => {
                ours.exchange(window, Stored::Nowhere);
                model.exchange(window);
                assert_eq!(ours.windows[window].0, model.windows[window].0, "{seed}: {step}, resumed");
                let (stores, linkage) = (stores(&mut rng), linkage(&mut rng));
                let before = (0..rng.u32(..3)).zip(self::linkage(&mut rng)).collect();
                let noted = PART - 20 + rng.u32(..50);
                let noted = noted..noted + rng.u32(..LENGTH as u32);
                let stored = match rng.u8(..8) {
                    0 => Stored::Anywhere,
                    _ => Stored::At(
                        &stores,
                        Records { now: &linkage, before: &before, stored: RecordSet::ALL },
                        &noted,
                    ),
                };
                let mut may = Vec::new();
                stored.within(&(PART..PART + LENGTH as u32), |range| {
                    may.extend(range);
                    true
                });
                for _ in 0..rng.usize(..12) {
                    let Some(at) = rng.choice(&may) else { continue };
                    let byte = rng.u8(..3);
                    (ours.windows[window].0[*at], model.windows[window].0[*at]) = (byte, byte);
                }
                ours.exchange(window, stored);
                model.exchange(window);
            }
        }
        assert_eq!(ours.area.to_vec(), model.area, "{seed}: {step}");
    }
}

#[test]
fn what_is_exchanged_is_what_differs() {
    for seed in 0..150 {
        run(seed, false);
        run(seed, true);
    }
}

#[test]
fn what_nobody_has_changed_is_not_looked_at() {
    let mut area = Area::with(b"ABCDEFGH");
    let mut bytes = [0; 8];
    let mut copy = Copy::of(&mut area, &mut bytes);
    assert_eq!(&bytes, b"ABCDEFGH");
    let changes = area.keep_changes().count().clone();
    // A byte that no operation of the program stores to: it would be found, were all of it compared.
    bytes[0] = b'a';
    let (stores, before) = (Stores::new(vec![vec![2..4]]), Moved::new());
    let stored =
        Stored::At(&stores, Records { now: &[PART], before: &before, stored: RecordSet::ALL }, &(0..0));
    assert!(copy.is_up_to_date() && copy.is_same(PART, &bytes, stored));
    copy.exchange(PART, &mut bytes, &mut area, stored, false);
    assert_eq!((bytes, changes.get()), (*b"aBCDEFGH", 0));
    bytes[3] = b'd';
    assert!(!copy.is_same(PART, &bytes, stored));
    copy.exchange(PART, &mut bytes, &mut area, stored, false);
    assert_eq!((area.to_vec(), changes.get()), (b"ABCdEFGH".to_vec(), 1));
}

#[test]
fn only_what_a_program_has_changed_goes_to_storage_that_others_see() {
    let mut area = Area::with(b"ABCDEF");
    let mut bytes = [0; 6];
    let mut copy = Copy::of(&mut area, &mut bytes);
    bytes = *b"AbCdEF";
    area.write(4, b"ef");
    copy.exchange(PART, &mut bytes, &mut area, Stored::Anywhere, false);
    assert_eq!((area.to_vec(), &bytes, &copy.seen[..]), (b"AbCdef".to_vec(), b"AbCdef", &b"AbCdef"[..]));
}

#[test]
fn an_area_that_is_gone_is_no_longer_the_same() {
    let mut area = Area::with(b"ABCDEF");
    let mut bytes = [0; 6];
    let mut copy = Copy::of(&mut area, &mut bytes);
    drop(area);
    assert!(!copy.is_up_to_date());
    // Another one at its place is taken in as a whole.
    let mut area = Area::with(b"abcdef");
    copy.exchange(PART, &mut bytes, &mut area, Stored::Nowhere, false);
    assert_eq!(&bytes, b"abcdef");
    assert!(copy.is_up_to_date());
}
