//! An arena gives and takes back blocks, and knows its addresses.

use super::*;
use crate::Area;

fn arena() -> Arc<Arena> {
    Arena::new().expect("addresses")
}

fn place(arena: &Arena, area: &Area) -> u32 {
    arena.place_of(area.address()).expect("it lies in the arena")
}

#[test]
fn areas_keep_what_is_written_and_come_back_zeroed() {
    let arena = arena();
    for length in [1, 40, 48, 4096, 32 << 10, 100_000, 3 << 20] {
        for _ in 0..3 {
            let mut area = arena.area(length).expect("there is room");
            assert!(area.to_vec().iter().all(|byte| *byte == 0), "{length} bytes, zeroed");
            area.write(0, &vec![0xFF; length]);
            assert!(area.overlay().is_none() && area.to_vec() == vec![0xFF; length]);
        }
    }
}

#[test]
fn an_address_says_how_many_bytes_there_are() {
    let arena = arena();
    for length in [1, 33, 1000, 40_000, 1 << 20] {
        let area = arena.area(length).expect("there is room");
        let at = place(&arena, &area);
        let room = |at: u32| arena.room(at).map(|(_, room)| room);
        assert_eq!(arena.room(at), Some((area.address(), length)));
        assert_eq!(
            (room(at + length as u32 / 2), room(at + length as u32)),
            (Some(length - length / 2), Some(0))
        );
        assert_eq!((room(at - 1), room(at + length as u32 + 1)), (None, None), "{length}");
        assert_eq!(super::room(area.address()), Some(length));
        assert_eq!([area.address() - 1, area.address() + length].map(super::room), [None; 2]);
        let changes = || arena.changes_at(at).map(|changes| changes.load(Ordering::Relaxed));
        let (address, before) = (area.address(), changes());
        drop(area);
        assert!(room(at).is_none() && changes() != before);
        let last = arena.changes_at(at + length as u32 - 1).map(|changes| changes.load(Ordering::Relaxed));
        assert_eq!(last > Some(1), changes() > Some(1), "the last page, too");
        assert_eq!(super::room(address), None);
    }
    for at in [0, 1, PAGE as u32, (ARENA - 1) as u32, ARENA as u32, u32::MAX] {
        assert_eq!(arena.room(at), None, "{at}");
    }
    assert_eq!(room((&raw const START) as usize), None);
}

#[test]
fn what_is_copied_stays_within_the_area() {
    let arena = arena();
    let (first, second) = (arena.area(100).expect("room"), arena.area(100).expect("room"));
    let at = place(&arena, &first);
    assert!(arena.write(at + 90, b"0123456789") && !arena.write(at + 91, b"0123456789"));
    assert!(!arena.write(at - 1, b"01") && !arena.read(at, &mut [0; 101]) && !arena.write(0, b"0"));
    let mut back = [0; 10];
    assert!(arena.read(at + 90, &mut back));
    assert_eq!((&back, first.to_vec()[89], second.to_vec()), (b"0123456789", 0, vec![0; 100]));
    assert!(first.overlay().is_none() && second.overlay().is_none());
}

#[test]
fn what_was_given_back_stays_there_and_no_task_finds_what_was_written() {
    let arena = arena();
    for length in [100, 200_000] {
        let mut area = arena.area(length).expect("room");
        area.write(0, b"secret");
        let address = area.address();
        drop(area);
        let mut left = vec![7; length];
        arena.get(address, &mut left);
        assert!(left.iter().all(|byte| *byte == 0));
        // A program that has the address still, and its next owner.
        arena.put(address, &vec![b'X'; length]);
        let area = arena.area(length).expect("room");
        assert!(area.address() == address && area.to_vec() == vec![0; length]);
    }
}

#[test]
fn pages_side_by_side_become_one_run() {
    let arena = arena();
    let areas: Vec<_> = (0..3).map(|_| arena.area(100_000).expect("room")).collect();
    let first = areas[0].address();
    let mut areas = areas.into_iter();
    let [one, two, three] = std::array::from_fn(|_| areas.next());
    drop(one);
    drop(three);
    drop(two);
    let long = arena.area(380_000).expect("room");
    assert_eq!(long.address(), first);
}

#[test]
fn regions_have_arenas_of_their_own_one_after_the_other() {
    let (one, other) = (arena(), arena());
    let mut area = one.area(100).expect("room");
    assert_eq!(other.place_of(area.address()), None);
    area.write(0, b"secret");
    let at = place(&one, &area);
    assert_eq!(other.room(at), None);
    drop(area);
    drop(one);
    // The next region at this place finds nothing in it.
    let next = arena();
    assert_eq!(next.room(at), None);
    assert!(next.area(100).is_some_and(|area| area.to_vec() == vec![0; 100]));
}

#[test]
fn an_arena_has_an_end() {
    let arena = arena();
    assert!(arena.area(ARENA).is_none() && arena.area(usize::MAX - 10).is_none());
    let long = arena.area(ARENA - 3 * PAGE).expect("all of it");
    assert!(arena.area(PAGE).is_none());
    drop(long);
    assert!(arena.area(PAGE).is_some());
}
