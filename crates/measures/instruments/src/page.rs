//! A page of HTML with tables and pictures: one file, without a script, that fetches nothing.

use std::fmt::Write;

use crate::escape::escaped;
use crate::table::{Cell, Table};

/// The look of a page.
const STYLE: &str = "\
body{font:15px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:72rem;padding:0 1rem;color:#222;background:#fff}\
table{border-collapse:collapse;font-size:13px;font-variant-numeric:tabular-nums}\
th,td{padding:.2rem .6rem;border-bottom:1px solid #ddd;text-align:left}\
td{white-space:pre}th{position:sticky;top:0;background:#fff}.n{text-align:right}.u{font-weight:normal;color:#666}\
.wide{overflow-x:auto}svg{max-width:45rem;display:block;margin:1rem 0}\
svg text{text-anchor:middle}svg .start{text-anchor:start}svg .end{text-anchor:end}.grid{stroke:#ddd}\
.line{fill:none;stroke:#246;stroke-width:1.5}svg circle{fill:#246}summary{cursor:pointer}";

/// Nothing is fetched and nothing runs, whatever a name in the page is.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

/// A page.
pub struct Page {
    title: String,
    body: String,
}

impl Page {
    /// A page with this title and words below it.
    pub fn new(title: &str, words: &str) -> Self {
        let body = format!("<h1>{}</h1>\n<p>{}</p>\n", escaped(title), escaped(words));
        Self { title: title.to_owned(), body }
    }

    /// Adds a table.
    pub fn table(&mut self, table: &Table) {
        // Writing to a String cannot fail.
        let _ = writeln!(self.body, "<h2>{}</h2>", escaped(&table.title));
        self.rows(table);
    }

    /// Adds a table that is shown when a reader opens it.
    pub fn folded(&mut self, table: &Table) {
        let _ = writeln!(self.body, "<details><summary>{}</summary>", escaped(&table.title));
        self.rows(table);
        self.body.push_str("</details>\n");
    }

    /// Adds a picture, which is SVG that this crate has drawn.
    pub(crate) fn picture(&mut self, svg: &str) {
        self.body.push_str(svg);
    }

    /// Adds the pictures of rates.
    pub fn rates(&mut self, rates: &crate::Rates) {
        for line in rates.timelines() {
            self.picture(&line.svg());
        }
        self.picture(&rates.plot().svg());
    }

    fn rows(&mut self, table: &Table) {
        if table.rows.is_empty() {
            self.body.push_str("<p>There is none.</p>\n");
        } else {
            self.body.push_str("<div class=\"wide\"><table>\n<thead><tr>");
            for column in &table.columns {
                let (heading, unit) = (escaped(column.heading), escaped(column.unit));
                let _ = write!(self.body, "<th scope=\"col\">{heading} <span class=\"u\">{unit}</span></th>");
            }
            self.body.push_str("</tr></thead>\n<tbody>\n");
            for row in &table.rows {
                self.body.push_str("<tr>");
                for cell in row {
                    let class = if matches!(cell, Cell::Text(_)) { "" } else { " class=\"n\"" };
                    let _ = write!(self.body, "<td{class}>{}</td>", escaped(&cell.text()));
                }
                self.body.push_str("</tr>\n");
            }
            self.body.push_str("</tbody></table></div>\n");
        }
        for note in &table.notes {
            let _ = writeln!(self.body, "<p>{}</p>", escaped(note));
        }
    }

    /// The whole document.
    pub fn html(&self) -> String {
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
             <meta name=\"viewport\" content=\"width=device-width\">\n<title>{}</title>\n<style>{STYLE}</style>\n\
             </head>\n<body>\n{}</body>\n</html>\n",
            escaped(&self.title),
            self.body
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_a_name_is_it_stays_a_text() {
        let name = "</td><script>alert('x')</script>\"&\u{202e}\u{0}";
        let mut table = Table::new(name, &[("Transaction", ""), ("Tasks", "")]);
        table.rows.push(vec![Cell::Text(name.into()), Cell::Count(1)]);
        table.notes.push(name.into());
        let mut page = Page::new(name, name);
        page.table(&table);
        page.folded(&table);
        let html = page.html();
        assert!(!html.contains("<script") && !html.contains('\u{202e}') && !html.contains('\u{0}'), "{html}");
        assert_eq!(html.matches("&lt;script&gt;alert(&#39;x&#39;)").count(), 9);
        assert_eq!(html.matches("</td>").count(), 4);
    }
}
