//! A table of a view.

/// A text without control characters, which would act on the terminal.
pub(crate) fn printable(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { '·' } else { letter }).collect()
}

/// A cell.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cell {
    Text(String),
    /// A number with so many digits behind the point; `None`: it is not known yet.
    Number(Option<f64>, usize),
}

impl Cell {
    /// Its text.
    pub fn text(&self) -> String {
        match self {
            Self::Text(text) => printable(text),
            Self::Number(Some(number), digits) => format!("{number:.digits$}"),
            Self::Number(None, _) => String::from("–"),
        }
    }

    /// Returns true if it stands at the right of its column.
    pub fn is_number(&self) -> bool {
        matches!(self, Self::Number(..))
    }
}

/// A table.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Table {
    pub columns: Vec<&'static str>,
    pub rows: Vec<Vec<Cell>>,
}

impl Table {
    /// The widths of its columns.
    pub fn widths(&self) -> Vec<usize> {
        let of_rows = |place: usize| {
            self.rows.iter().filter_map(move |row| row.get(place)).map(|cell| cell.text().chars().count())
        };
        let width =
            |(place, name): (usize, &&str)| of_rows(place).chain([name.chars().count()]).max().unwrap_or(0);
        self.columns.iter().enumerate().map(width).collect()
    }

    /// Its lines, the heading first.
    pub fn lines(&self) -> Vec<String> {
        let widths = self.widths();
        let is_number =
            |place: usize| self.rows.first().and_then(|row| row.get(place)).is_some_and(Cell::is_number);
        let put = |place: usize, text: &str| match is_number(place) {
            true => format!("{text:>width$}", width = widths[place]),
            false => format!("{text:<width$}", width = widths[place]),
        };
        let line = |texts: Vec<String>| {
            let cells: Vec<_> = texts.iter().enumerate().map(|(place, text)| put(place, text)).collect();
            cells.join("  ").trim_end().to_owned()
        };
        let heading = line(self.columns.iter().map(|name| (*name).to_owned()).collect());
        let rows = self.rows.iter().map(|row| line(row.iter().map(Cell::text).collect()));
        std::iter::once(heading).chain(rows).collect()
    }

    /// Sorts its rows, the largest number of a column first.
    pub fn sort_by(&mut self, column: usize) {
        let key = |row: &Vec<Cell>| match row.get(column) {
            Some(Cell::Number(Some(number), _)) => *number,
            _ => f64::NEG_INFINITY,
        };
        self.rows.sort_by(|one, other| key(other).total_cmp(&key(one)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_at_the_right_and_control_characters_are_shown() {
        let text = |text: &str| Cell::Text(text.into());
        let mut table = Table {
            columns: vec!["File", "Reads/s"],
            rows: vec![
                vec![text("A\u{1b}[2J"), Cell::Number(Some(2.0), 1)],
                vec![text("ACCOUNTS"), Cell::Number(Some(120.5), 1)],
                vec![text("B"), Cell::Number(None, 1)],
            ],
        };
        table.sort_by(1);
        assert_eq!(
            table.lines(),
            ["File      Reads/s", "ACCOUNTS    120.5", "A·[2J         2.0", "B               –"]
        );
    }
}
