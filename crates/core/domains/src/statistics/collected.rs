//! Statistics as they are collected: records of fields, and what was there at the last reset.

use std::collections::HashMap;

use spec::measures::{From, StatisticId, statistics_kinds};

/// A value of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Figure {
    /// A number; of a time, nanoseconds; of a point in time, microseconds since 1970.
    Number(u64),
    /// Characters.
    Text(Vec<u8>),
}

/// One record of statistics: of the region, or of one resource.
#[derive(Clone, Debug)]
pub struct Statistic {
    /// The kind's place in `spec::measures::statistics_kinds`.
    pub kind: usize,
    /// The resource; empty: the region.
    pub resource: String,
    /// Its fields. Those that count, count from the region's start until [`Baseline::since`] was asked.
    pub figures: Vec<(StatisticId, Figure)>,
}

impl Statistic {
    /// A number in it.
    pub fn number(&self, id: StatisticId) -> Option<u64> {
        self.figures.iter().find_map(|(known, figure)| match figure {
            Figure::Number(number) if *known == id => Some(*number),
            _ => None,
        })
    }
}

impl Statistic {
    /// Returns true if a counter of it is not 0.
    pub fn has_counted(&self) -> bool {
        let counted = |(id, figure): &(StatisticId, Figure)| {
            counts(*id) && matches!(figure, Figure::Number(number) if *number > 0)
        };
        self.figures.iter().any(counted)
    }
}

/// The records that collectors have made.
#[derive(Default)]
pub struct Collected {
    records: Vec<Statistic>,
}

/// A record that a collector fills.
pub struct Sheet<'a>(&'a mut Statistic);

impl Collected {
    /// The record of the region itself: the kind is that of its first field.
    pub fn region(&mut self) -> Sheet<'_> {
        self.resource("")
    }

    /// The record of a resource: the kind is that of its first field.
    pub fn resource(&mut self, name: impl ToString) -> Sheet<'_> {
        self.records.push(Statistic { kind: usize::MAX, resource: name.to_string(), figures: Vec::new() });
        let last = self.records.len() - 1;
        Sheet(&mut self.records[last])
    }

    /// The records that have a field. Fields of several collectors about one kind of the region itself are one record.
    pub(super) fn into_records(self) -> Vec<Statistic> {
        let mut whole: Vec<Statistic> = Vec::with_capacity(self.records.len());
        for record in self.records.into_iter().filter(|record| !record.figures.is_empty()) {
            let is_same = |known: &&mut Statistic| known.resource.is_empty() && known.kind == record.kind;
            match whole.iter_mut().find(is_same).filter(|_| record.resource.is_empty()) {
                Some(known) => known.figures.extend(record.figures),
                None => whole.push(record),
            }
        }
        whole
    }
}

impl Sheet<'_> {
    /// A number, from the region's start on if it is a counter.
    pub fn number(&mut self, id: StatisticId, number: u64) -> &mut Self {
        self.put(id, Figure::Number(number))
    }

    /// Characters.
    pub fn text(&mut self, id: StatisticId, text: impl AsRef<[u8]>) -> &mut Self {
        self.put(id, Figure::Text(text.as_ref().trim_ascii_end().to_vec()))
    }

    /// All fields of the record's kind that count requests, of the region's tasks.
    pub fn requests(&mut self, kind: usize, counted: impl Fn(usize) -> u64) -> &mut Self {
        for (place, field) in statistics_kinds()[kind].fields.iter().enumerate() {
            if let From::Requests { slots, .. } = field.from {
                let sum = slots.iter().map(|slot| counted(usize::from(*slot))).sum();
                self.number(StatisticId { kind: kind as u16, field: place as u16 }, sum);
            }
        }
        self
    }

    fn put(&mut self, id: StatisticId, figure: Figure) -> &mut Self {
        self.0.kind = usize::from(id.kind);
        self.0.figures.push((id, figure));
        self
    }
}

/// The values of counters at their last reset: counters themselves only grow.
#[derive(Default)]
pub(super) struct Baseline(HashMap<(String, StatisticId), u64>);

impl Baseline {
    /// The records with their counters from the last reset on.
    pub fn since(&self, mut records: Vec<Statistic>) -> Vec<Statistic> {
        for Statistic { resource, figures, .. } in &mut records {
            for (id, figure) in figures {
                if let (Figure::Number(number), true) = (figure, counts(*id)) {
                    let before = self.0.get(&(resource.clone(), *id)).copied().unwrap_or_default();
                    // A resource that was installed again begins at 0 again.
                    *number = number.checked_sub(before).unwrap_or(*number);
                }
            }
        }
        records
    }

    /// Resets: these are the present counters.
    pub fn reset(&mut self, records: &[Statistic]) {
        self.0.clear();
        for Statistic { resource, figures, .. } in records {
            for (id, figure) in figures {
                if let (Figure::Number(number), true) = (figure, counts(*id)) {
                    self.0.insert((resource.clone(), *id), *number);
                }
            }
        }
    }
}

fn counts(id: StatisticId) -> bool {
    matches!(id.field().from, From::Counter | From::Requests { .. })
}

#[cfg(test)]
mod tests {
    use spec::measures::stat;

    use super::*;

    fn attached(count: u64, now: u64) -> Vec<Statistic> {
        let mut collected = Collected::default();
        collected.region().number(stat::XMGNUM, count).number(stat::XMGCAT, now);
        collected.into_records()
    }

    #[test]
    fn a_reset_sets_counters_to_0_and_leaves_present_values() {
        let mut baseline = Baseline::default();
        let figures = |baseline: &Baseline, records| {
            let records = baseline.since(records);
            (records[0].number(stat::XMGNUM), records[0].number(stat::XMGCAT))
        };
        assert_eq!(figures(&baseline, attached(5, 2)), (Some(5), Some(2)));
        baseline.reset(&attached(5, 2));
        assert_eq!(figures(&baseline, attached(5, 2)), (Some(0), Some(2)));
        assert_eq!(figures(&baseline, attached(8, 1)), (Some(3), Some(1)));
    }
}
