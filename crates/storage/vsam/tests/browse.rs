//! Browses: start, direction, repositioning, duplicates, end of file.

mod common;

use std::sync::Arc;

use common::{Fixture, next, prev};
use records::UnitOfWork;
use vsam::{Dataset, Search};

/// Does what a script says and shows what comes: `=K` starts at K exactly, `>K` at K or beyond, `~K` generic, `~>K`
/// both; `@K` changes the key; `n` next, `p` prev. `$` is a key of X'FF'.
async fn check(dataset: &Arc<Dataset>, unit: &mut dyn UnitOfWork, script: &str, expected: &str) {
    let mut browse = None;
    let mut seen = Vec::new();
    for word in script.split(' ') {
        let (verb, key) = word.split_at(word.find(|c: char| !"=>~@np".contains(c)).unwrap_or(word.len()));
        let key = if key == "$" { vec![0xFF; dataset.key_length()] } else { key.as_bytes().to_vec() };
        let search = Search { key: &key, generic: verb.contains('~'), at_least: verb.contains('>') };
        let outcome = match (verb, &mut browse) {
            ("@", Some(browse)) => vsam::Browse::reposition(browse, &key).map(|()| String::new()),
            ("n", Some(browse)) => next(browse, unit).await.map(|(text, _)| text),
            ("p", Some(browse)) => prev(browse, unit).await.map(|(text, _)| text),
            (_, Some(browse)) => browse.reset(unit, search).await.map(|()| String::new()),
            (_, none) => dataset.browse(unit, search).await.map(|started| {
                *none = Some(started);
                String::new()
            }),
        };
        match outcome {
            Ok(text) if text.is_empty() => {}
            Ok(text) => seen.push(text),
            Err(error) => seen.push(format!("<{error}>")),
        }
    }
    assert_eq!(seen.join(" "), expected, "{script}");
}

#[tokio::test]
async fn a_ksds_is_browsed_in_both_directions() {
    let fixture = Fixture::new().await;
    let dataset = fixture.keyed("20b 10a 30c 40d 50e").await;
    let unit = &mut *fixture.begin();
    for (script, expected) in [
        (">10 n n n", "10a 20b 30c"),
        (">15 n n", "20b 30c"),
        ("=20 n n", "20b 30c"),
        ("=15", "<record not found>"),
        (">51", "<record not found>"),
        ("~3 n n", "30c 40d"),
        ("~2 n n n n n", "20b 30c 40d 50e <end of file>"),
        ("~9", "<record not found>"),
        ("~> n", "10a"),
        ("~>35 n", "40d"),
        // Turning round reads the same record again.
        (">20 n n p p n n", "20b 30c 30c 20b 20b 30c"),
        // The ends are no places.
        (">50 n n p p", "50e <end of file> 50e 40d"),
        (">10 n p p p n", "10a 10a <end of file> <end of file> 10a"),
        // From the end backward.
        (">$ p p", "50e 40d"),
        (">$ n p", "<end of file> 50e"),
        // Backward right after the start needs a record with that key.
        ("=30 p p n", "30c 20b 20b"),
        (">35 p", "<record not found>"),
        ("~3 p", "<not possible for this data set: reading backward after a generic start>"),
        ("~3 n p p", "30c 30c 20b"),
        // Changes of key on the way, forward or back, with the kind of search that the browse began with.
        (">10 n @40 n n", "10a 40d 50e"),
        (">40 n @15 n", "40d 20b"),
        ("=10 n @15 n @20 n", "10a <record not found> 20b"),
        (">50 n @30 p p", "50e 30c 20b"),
        (">50 n @35 p", "50e <record not found>"),
        ("~1 n @4 n n", "10a 40d 50e"),
        // A reset that finds nothing leaves the browse where it was.
        ("=20 =99 n", "<record not found> 20b"),
        ("=20 =35 n p", "<record not found> 20b 20b"),
        ("=20 p p", "20b 10a"),
        // A reset may change the kind of search.
        (">10 n =30 n =35 n", "10a 30c <record not found> 40d"),
    ] {
        check(&dataset, unit, script, expected).await;
    }
}

#[tokio::test]
async fn an_empty_data_set_has_nothing_to_browse() {
    let fixture = Fixture::new().await;
    let dataset = fixture.keyed("").await;
    let unit = &mut *fixture.begin();
    for script in [">10", "~>", ">$"] {
        check(&dataset, unit, script, "<record not found>").await;
    }
}

#[tokio::test]
async fn a_unique_path_is_browsed_by_its_alternate_key() {
    let fixture = Fixture::new().await;
    let dataset = fixture.path(true, "10c 20a 30d 40b").await;
    let unit = &mut *fixture.begin();
    check(&dataset, unit, ">a n n p p p", "20a 40b 40b 20a <end of file>").await;
    check(&dataset, unit, ">$ p p", "30d 10c").await;
    check(&dataset, unit, "=c n n n", "10c 30d <end of file>").await;
}

#[tokio::test]
async fn a_path_with_duplicates_marks_all_but_the_last_and_keeps_their_order_in_both_directions() {
    let fixture = Fixture::new().await;
    let dataset = fixture.path(false, "30a 10a 20a 50b 40b 60c").await;
    let unit = &mut *fixture.begin();
    for (script, expected) in [
        // The order in which they were written.
        (">a n n n n n n n", "30a+ 10a+ 20a 50b+ 40b 60c <end of file>"),
        (">$ p p p p p p p", "60c 50b+ 40b 30a+ 10a+ 20a <end of file>"),
        ("=b n p p p", "50b+ 50b+ 40b 30a+"),
        ("=b n n n p", "50b+ 40b 60c 60c"),
        ("=b p p n", "50b+ 40b 50b+"),
        ("=b n @a n n", "50b+ 30a+ 10a+"),
    ] {
        check(&dataset, unit, script, expected).await;
    }
}

#[tokio::test]
async fn a_browse_sees_what_changes_on_its_way() {
    let fixture = Fixture::new().await;
    let dataset = fixture.keyed("10a 20b 30c 40d 50e 60f 70g").await;
    let mut unit = fixture.begin();
    let mut browse = dataset.browse(&mut *unit, Search::at_least(b"10")).await.unwrap();
    for expected in ["10a", "20b", "30c"] {
        assert_eq!(next(&mut browse, &mut *unit).await.unwrap().0, expected);
    }
    // Committed by another, in the records that were read ahead; then by this unit of work itself.
    let mut other = fixture.begin();
    dataset.delete_by_key(&mut *other, b"40", records::Wait::No).await.unwrap();
    dataset.write(&mut *other, None, b"35x", records::Wait::No).await.unwrap();
    other.commit().await.unwrap();
    assert_eq!(next(&mut browse, &mut *unit).await.unwrap().0, "35x");
    dataset.write(&mut *unit, None, b"45y", records::Wait::No).await.unwrap();
    assert_eq!(next(&mut browse, &mut *unit).await.unwrap().0, "45y");
    assert_eq!(next(&mut browse, &mut *unit).await.unwrap().0, "50e");
}
