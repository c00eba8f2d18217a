//! Reads and writes an order of fifty lines TIMES times, for a profiler.
//!
//! `order read|write|both xml|json TIMES`

use mapping::xml::Way;
use mapping::{Options, compile, json, xml};

const ORDER: &str = "
       01  ORDER-RECORD.
           05  ORDER-NO           PIC 9(9).
           05  CUSTOMER           PIC X(30).
           05  ORDERED            PIC 9(8).
           05  TOTAL              PIC S9(9)V99 COMP-3.
           05  REMARK             PIC X(40).
           05  LINES OCCURS 50.
               10  ITEM           PIC X(12).
               10  DESCRIPTION    PIC X(30).
               10  PIECES         PIC S9(5).
               10  PRICE          PIC S9(7)V99 COMP-3.
               10  DISCOUNT       PIC S9(3)V99 COMP-3.
               10  DELIVERY       PIC 9(8).
               10  WAREHOUSE      PIC S9(4) COMP.
";

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (what, syntax) = (arguments.next().unwrap_or_default(), arguments.next().unwrap_or_default());
    let times: usize = arguments.next().and_then(|times| times.parse().ok()).unwrap_or(1);
    let parsed = copybook::parse(&diagnostics::Source::new("ORDER.cpy", ORDER));
    let options = Options { namespace: "urn:o".to_owned(), ..Options::default() };
    let mapping = compile(&parsed.layouts[0], "order", &options).unwrap_or_else(|_| std::process::exit(1));
    let line = "<item>ITEM-00001</item><description>A THING OF SOME USE</description><pieces>-12</pieces>\
                <price>12345.67</price><discount>2.50</discount><delivery>20260704</delivery>\
                <warehouse>17</warehouse>";
    let lines = format!("<lines>{line}</lines>").repeat(50);
    let message = format!(
        "<p:order xmlns:p=\"urn:o\"><order_no>123456</order_no><customer>ANNA EXAMPLE</customer>\
         <ordered>20260703</ordered><total>-98765.43</total><remark>NONE</remark>{lines}</p:order>"
    );
    let Ok(record) = xml::read(&mapping, message.as_bytes(), None, Way::Quick) else { std::process::exit(1) };
    let mut as_json = Vec::new();
    if json::write(&mapping, &record, false, &mut as_json).is_err() {
        std::process::exit(1);
    }
    let mut sum = 0;
    for _ in 0..times {
        if what != "write" {
            let read = match syntax.as_str() {
                "json" => json::read(&mapping, &as_json, false),
                _ => xml::read(&mapping, message.as_bytes(), None, Way::Quick),
            };
            sum += read.map_or(0, |record| record.len());
        }
        if what != "read" {
            let mut written = Vec::new();
            let done = match syntax.as_str() {
                "json" => json::write(&mapping, &record, false, &mut written),
                _ => xml::write(&mapping, &record, &mut written),
            };
            sum += done.map_or(0, |()| written.len());
        }
    }
    println!("{sum}");
}
