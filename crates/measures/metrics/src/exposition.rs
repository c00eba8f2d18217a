//! Families as the text of OpenMetrics.

use std::fmt;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{
    DescriptorEncoder, EncodeLabelValue, LabelValueEncoder, MetricEncoder, NoLabelSet, text,
};
use prometheus_client::metrics::MetricType;
use prometheus_client::registry::Registry;

use crate::family::{Family, Kind, Sample, Value};
use crate::limits::SAMPLES_MAX;

/// The media type of what is written.
pub(crate) const MEDIA: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Writes families.
///
/// # Errors
/// The library's, which says nothing.
pub fn text(families: Vec<Family>) -> Result<String, fmt::Error> {
    let mut registry = Registry::default();
    registry.register_collector(Box::new(Families(families)));
    let mut out = String::new();
    text::encode(&mut out, &registry)?;
    Ok(out)
}

/// The families of one answer.
#[derive(Debug)]
struct Families(Vec<Family>);

impl Collector for Families {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let mut left_out = 0;
        for family in &self.0 {
            let kind = match family.kind {
                Kind::Counter => MetricType::Counter,
                Kind::Gauge => MetricType::Gauge,
                Kind::Info => MetricType::Info,
                Kind::Histogram => MetricType::Histogram,
            };
            let mut described = encoder.encode_descriptor(family.name, family.help, None, kind)?;
            for sample in family.samples.iter().take(SAMPLES_MAX) {
                encode(&mut described, family.kind, sample)?;
            }
            left_out += family.samples.len().saturating_sub(SAMPLES_MAX);
        }
        let help = "samples that are left out, since a family has too many";
        let mut described =
            encoder.encode_descriptor("syncpoint_samples_left_out", help, None, MetricType::Gauge)?;
        described.encode_gauge(&(left_out as u64))
    }
}

/// The value of a label; the library writes it as it is.
struct Escaped<'a>(&'a str);

impl EncodeLabelValue for Escaped<'_> {
    fn encode(&self, encoder: &mut LabelValueEncoder<'_>) -> Result<(), fmt::Error> {
        use fmt::Write;
        for letter in self.0.chars() {
            match letter {
                '\\' => encoder.write_str("\\\\")?,
                '"' => encoder.write_str("\\\"")?,
                '\n' => encoder.write_str("\\n")?,
                letter => encoder.write_char(letter)?,
            }
        }
        Ok(())
    }
}

fn encode(described: &mut MetricEncoder<'_>, kind: Kind, sample: &Sample) -> Result<(), fmt::Error> {
    let labels: Vec<_> = sample.labels.iter().map(|(key, text)| (*key, Escaped(text))).collect();
    if kind == Kind::Info {
        return described.encode_info(&labels);
    }
    match labels.is_empty() {
        true => encode_value(described, kind, &sample.value),
        false => encode_value(&mut described.encode_family(&labels)?, kind, &sample.value),
    }
}

fn encode_value(one: &mut MetricEncoder<'_>, kind: Kind, value: &Value) -> Result<(), fmt::Error> {
    match (kind, value) {
        (Kind::Counter, Value::Count(count)) => one.encode_counter::<NoLabelSet, _, u64>(count, None),
        (Kind::Counter, Value::Number(number)) => one.encode_counter::<NoLabelSet, _, u64>(number, None),
        (_, Value::Count(count)) => one.encode_gauge(count),
        (_, Value::Number(number)) => one.encode_gauge(number),
        (_, Value::Buckets(buckets, sum)) => {
            let count = buckets.iter().map(|(_, count)| count).sum();
            one.encode_histogram::<NoLabelSet>(*sum, count, buckets, None)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_is_written_as_it_is_published_and_a_value_of_a_label_stays_one() {
        let mut requests = Family::new("file_requests", Kind::Counter, "requests");
        requests.add(&[("file", "A\"} 7\n\\B"), ("kind", "read")], Value::Count(3));
        let mut seconds = Family::new("seconds", Kind::Histogram, "times");
        let buckets = vec![(0.5, 2), (1.0, 1), (f64::MAX, 1)];
        seconds.add(&[("transaction", "AUTH")], Value::Buckets(buckets, 7.5));
        let gauge = Family::new("tasks", Kind::Gauge, "tasks").with(Value::Number(0.5));
        let mut info = Family::new("region", Kind::Info, "the region");
        info.add(&[("applid", "BANK")], Value::Count(1));
        let text = text(vec![requests, seconds, gauge, info]).expect("written");
        let expected = "\
# HELP file_requests requests
# TYPE file_requests counter
file_requests_total{file=\"A\\\"} 7\\n\\\\B\",kind=\"read\"} 3
# HELP seconds times
# TYPE seconds histogram
seconds_sum{transaction=\"AUTH\"} 7.5
seconds_count{transaction=\"AUTH\"} 4
seconds_bucket{le=\"0.5\",transaction=\"AUTH\"} 2
seconds_bucket{le=\"1.0\",transaction=\"AUTH\"} 3
seconds_bucket{le=\"+Inf\",transaction=\"AUTH\"} 4
# HELP tasks tasks
# TYPE tasks gauge
tasks 0.5
# HELP region the region
# TYPE region info
region_info{applid=\"BANK\"} 1
# HELP syncpoint_samples_left_out samples that are left out, since a family has too many
# TYPE syncpoint_samples_left_out gauge
syncpoint_samples_left_out 0
# EOF
";
        assert_eq!(text, expected);
    }

    #[test]
    fn a_family_that_grows_without_end_is_cut_and_says_so() {
        let mut family = Family::new("queues", Kind::Gauge, "queues");
        (0..SAMPLES_MAX + 7).for_each(|n| family.add(&[("queue", &n.to_string())], Value::Count(1)));
        let text = text(vec![family]).expect("written");
        assert_eq!(text.matches("\nqueues{").count(), SAMPLES_MAX);
        assert!(text.contains("\nsyncpoint_samples_left_out 7\n"));
    }
}
