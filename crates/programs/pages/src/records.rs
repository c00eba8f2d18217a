//! A `records` block: the records of a data set as they are committed now.
//!
//! `records DATASET` has a line of text for each record; with a copybook behind the name, a line with the names of fields and a line of
//! values for each record. `key=TEXT` takes the records alone whose key begins so.

use std::sync::Arc;

use vsam::{Dataset, Name, Search, Vsam};

use crate::document::Block;
use crate::house::House;
use crate::layout;
use crate::limits::RECORDS_MAX;
use crate::text::{bytes, shown};

/// The beginning of the word that says which records are meant.
const KEY: &str = "key=";

/// The words of a block with records: the data set, the copybook, the beginning of keys.
pub struct Words<'a> {
    /// The data set's name in the catalogue.
    pub data_set: &'a str,
    /// The copybook that describes its records.
    pub copybook: Option<&'a str>,
    /// The records alone whose keys begin so.
    pub key: Option<&'a str>,
}

impl<'a> Words<'a> {
    /// Reads the words behind a fence.
    ///
    /// # Errors
    /// The data set is missing, or there is a word too many.
    pub fn read(block: &'a Block) -> Result<Self, String> {
        let (keys, mut names): (Vec<&str>, Vec<&str>) =
            block.words.iter().map(String::as_str).partition(|word| word.starts_with(KEY));
        if names.len() > 2 || keys.len() > 1 {
            return Err(format!("{} takes a data set, a copybook, and key=TEXT", block.kind));
        }
        let copybook = if names.len() == 2 { names.pop() } else { None };
        let data_set = names.pop().ok_or_else(|| format!("{} names its data set", block.kind))?;
        data_set.parse::<Name>().map_err(|error| format!("{data_set}: {error}"))?;
        Ok(Self { data_set, copybook, key: keys.first().and_then(|key| key.strip_prefix(KEY)) })
    }
}

/// The lines with which a block is compared.
///
/// # Errors
/// The reason that there are none.
pub async fn lines(house: &House, block: &Block) -> Result<Vec<String>, String> {
    let words = Words::read(block)?;
    let key = words.key.map(bytes).transpose()?.unwrap_or_default();
    let found = read(&house.running.region.vsam, words.data_set, &key).await?;
    match words.copybook {
        None => Ok(found.iter().map(|record| shown(record)).collect()),
        Some(copybook) => {
            let layout = layout::layout(&house.root, &house.config, copybook)?;
            layout::rows(&layout, &block.text, &found)
        }
    }
}

async fn read(vsam: &Vsam, data_set: &str, key: &[u8]) -> Result<Vec<Vec<u8>>, String> {
    let refused = |error: vsam::Error| format!("{data_set}: {error}");
    let data_set = vsam.dataset(&data_set.parse::<Name>().map_err(refused)?).await.map_err(refused)?;
    let found = browse(vsam, &data_set, key).await.map_err(refused)?;
    match found.len() > RECORDS_MAX {
        true => Err(format!("more than {RECORDS_MAX} records: say which by key=TEXT")),
        false => Ok(found),
    }
}

async fn browse(vsam: &Vsam, data_set: &Arc<Dataset>, key: &[u8]) -> vsam::Result<Vec<Vec<u8>>> {
    let engine = vsam.engine();
    let mut unit = engine.begin(engine.locks().new_owner());
    let mut first = key.to_vec();
    first.resize(data_set.key_length().max(key.len()), 0);
    let mut records = Vec::new();
    let mut browse = match data_set.browse(&mut *unit, Search::at_least(&first)).await {
        Ok(browse) => browse,
        Err(vsam::Error::NotFound) => return Ok(records),
        Err(error) => return Err(error),
    };
    let mut record = Vec::new();
    loop {
        match browse.next(&mut *unit, &mut record).await {
            Ok(_) => {}
            Err(vsam::Error::EndOfFile) => return Ok(records),
            Err(error) => return Err(error),
        }
        let own = data_set.key_field().and_then(|field| field.of(&record)).unwrap_or_default();
        let is_behind = !key.is_empty() && !own.starts_with(key);
        if is_behind || records.len() > RECORDS_MAX {
            return Ok(records);
        }
        records.push(record.clone());
    }
}
