//! FETCH of a rowset, in any direction, or through an SQLDA.

use db2::package::Using;
use records::UnitOfWork;
use sql::To;
use sql::codes::Sqlca;

use super::call::Call;
use super::codes::Trouble;
use super::cursors::declared;
use super::hosts;
use super::open::{Open, not_open};
use super::task::OwnThread;
use crate::arguments::{Arguments, Inputs};
use crate::rowset::{Wanted, ended};
use crate::sqlda::{self, SqldaEntry};

/// The program's fields that a row goes to.
struct Fields<'f> {
    call: Call<'f>,
    /// Those that an SQLDA names.
    entries: Option<Vec<SqldaEntry>>,
}

impl OwnThread {
    pub(super) async fn fetch_rows(
        &mut self,
        call: Call<'_>,
        inputs: &Inputs,
        (wanted, into): (Wanted, Using),
        unit: &mut dyn UnitOfWork,
        arguments: &mut dyn Arguments,
    ) -> Result<Sqlca, Trouble> {
        let name = (call.level, call.token, wanted.cursor);
        let open = self.cursors.get_mut(&name).ok_or_else(not_open)?;
        let declared = declared(call, wanted.cursor)?;
        // Looked at before a row is fetched: an SQLDA that is not valid costs none.
        let entries = match into {
            Using::Descriptor(area) => Some(SqldaEntry::all(area, arguments)?),
            Using::Variables | Using::Nothing => None,
        };
        let fields = Fields { call, entries };
        let to = wanted.direction(inputs).ok_or_else(|| Sqlca::error(-302, b"22001"))?;
        if wanted.is_rowset && !open.is_rowset {
            return Err(Sqlca::error(-249, b"24523").token(&declared.name).token("ROWSET").into());
        }
        let count = match wanted.is_rowset {
            true => wanted.count(inputs, call.source, (declared, open.asked))?,
            false => 1,
        };
        if !open.is_scrollable && to != To::Next {
            return Err(Sqlca::error(-225, b"42872").into());
        }
        open.asked = count;
        let (fetched, sqlca) = match &mut open.scroll {
            Some(_) => open.scrolled(to, count, &fields, arguments)?,
            None => self.ahead(name, count, &fields, unit, arguments).await?,
        };
        match to {
            To::Before | To::After => Ok(Sqlca::default()),
            _ if wanted.is_rowset => Ok(ended(sqlca, declared, to, fetched, count as usize)),
            _ if fetched == 0 => Ok(Sqlca::not_found()),
            _ => Ok(sqlca),
        }
    }

    /// The next rows, as they come. A value that does not fit ends the FETCH.
    async fn ahead(
        &mut self,
        name: crate::thread::Name,
        count: u32,
        fields: &Fields<'_>,
        unit: &mut dyn UnitOfWork,
        arguments: &mut dyn Arguments,
    ) -> Result<(usize, Sqlca), Trouble> {
        let mut all = Sqlca::default();
        for element in 0..count {
            let open = self.cursors.get_mut(&name).ok_or_else(not_open)?;
            if element == 0 {
                open.rows.clear();
            }
            match open.next(&mut self.work, unit).await {
                Ok(true) => {}
                Ok(false) => return Ok((element as usize, all)),
                Err(trouble) => {
                    self.cursors.remove(&name);
                    return Err(trouble);
                }
            }
            open.rows.push(open.statement.run.current());
            let run = &open.statement.run;
            let put = fields.put(element, (run.row(), &open.kinds), run.setting(), arguments)?;
            add(&mut all, put)?;
        }
        Ok((count as usize, all))
    }
}

impl Open {
    /// Rows of a SCROLL cursor.
    fn scrolled(
        &mut self,
        to: To,
        count: u32,
        fields: &Fields<'_>,
        arguments: &mut dyn Arguments,
    ) -> Result<(usize, Sqlca), Trouble> {
        let mut all = Sqlca::default();
        let Some(scroll) = &mut self.scroll else { return Ok((0, all)) };
        let places = scroll.go(to, count)?;
        let fetched = places.len();
        for (element, at) in places.enumerate() {
            let row = (scroll.row(at), self.kinds.as_slice());
            let put = fields.put(element as u32, row, self.statement.run.setting(), arguments)?;
            add(&mut all, put)?;
        }
        Ok((fetched, all))
    }
}

impl Fields<'_> {
    /// Puts a row there, of arrays into the element of this number.
    fn put(
        &self,
        element: u32,
        row: (&[db2_values::Value], &[db2_values::Type]),
        setting: &db2_values::Setting,
        arguments: &mut dyn Arguments,
    ) -> Result<Sqlca, Trouble> {
        match &self.entries {
            Some(entries) => Ok(sqlda::put_values(entries, row, setting, arguments)?),
            None => hosts::put(self.call.source, element, row, setting, arguments),
        }
    }
}

/// Adds the warnings of a row to those of the rowset.
fn add(all: &mut Sqlca, row: Sqlca) -> Result<(), Trouble> {
    if row.code < 0 {
        return Err(row.into());
    }
    for (all, this) in all.warnings.iter_mut().zip(row.warnings) {
        *all = (*all).max(this);
    }
    if row.state != *b"00000" {
        (all.code, all.state) = (row.code, row.state);
    }
    Ok(())
}
