//! The data for the plots: figures by study, embedded as JSON that no text from a record can break out of.

use super::arrangement::{Arrangement, arrange};
use super::figure;
use crate::quantity;
use model::plan::StudyPlan;
use model::printable_lines;
use serde_json::{Map, Value, json};
use verdict::{Cell, Curve, Estimate, Figure, Finding, Series, StudyVerdict};

/// The maximum number of embedded points of one latency curve; more cannot be seen.
const CURVE_POINTS_MAX: usize = 160;

/// JSON that is safe inside a script element: `<` cannot occur, so neither can `</script>` nor `<!--`. The texts that
/// the plots show contain no character that reorders a line.
pub(super) fn embeddable(value: &Value) -> String {
    shown(value).to_string().replace('<', "\\u003c").replace('>', "\\u003e")
}

/// The same with every text, including names of fields, in its printable form.
fn shown(value: &Value) -> Value {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        Value::String(text) => Value::String(printable_lines(text).into_owned()),
        Value::Array(values) => values.iter().map(shown).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (printable_lines(name).into_owned(), shown(value))).collect()
        }
    }
}

/// All data for the plots of one study.
pub(super) fn study(study: &StudyVerdict, plan: Option<&StudyPlan>) -> Value {
    let arrangement = arrange(study, plan);
    let mut metrics = Map::new();
    let (asked, mechanism): (Vec<&str>, Vec<&str>) =
        (figure::asked_drawn(study).collect(), figure::mechanism_drawn(study).collect());
    for name in asked.iter().chain(&mechanism).copied() {
        metrics.insert(name.to_owned(), metric(study, name));
    }
    json!({
        "name": study.name,
        "question": study.question,
        "factors": study.factors,
        "series": { "factor": arrangement.series_factor, "levels": arrangement.series },
        "rows": { "factors": arrangement.row_factors, "labels": arrangement.rows },
        "cells": cells(study, &arrangement),
        "asked": asked,
        "mechanism": mechanism,
        "metrics": metrics,
        "findings": study.findings.iter().map(|finding| forest(study, finding)).collect::<Vec<_>>(),
        "curves": figure::curves_drawn(study).map(|curve| self::curve(study, curve)).collect::<Vec<_>>(),
        "overTime": {
            "title": figure::done(study),
            "lines": figure::series_drawn(study).take(figure::SERIES_MAX).map(|line| over_time(study, line)).collect::<Vec<_>>(),
        },
    })
}

fn cells(study: &StudyVerdict, arrangement: &Arrangement) -> Vec<Value> {
    let places = study.cells.iter().zip(&arrangement.places);
    places
        .map(
            |(cell, (row, series))| json!({ "label": cell.label, "levels": cell.levels, "n": cell.n, "row": row, "series": series }),
        )
        .collect()
}

fn metric(study: &StudyVerdict, name: &str) -> Value {
    let named = quantity::named(name);
    let figures = |shown: fn(&Figure) -> Value| -> Vec<Value> {
        study.cells.iter().map(|cell| cell.figures.get(name).map_or(Value::Null, shown)).collect()
    };
    json!({
        "title": named.title,
        "unit": named.symbol(),
        "direction": named.direction(),
        "summary": figure::range(study, name),
        "means": figures(|figure| estimate(&figure.mean)),
        "rounds": figures(rounds),
    })
}

/// Round, value and whether it is marked as an outlier.
fn rounds(figure: &Figure) -> Value {
    let values = figure.values.iter().filter_map(|(round, value)| {
        let outlier = u8::from(figure.outliers.contains(round));
        Some(json!([round, short((*value)?), outlier]))
    });
    Value::Array(values.collect())
}

/// Point, lower and upper bound; the bounds are null if there is no interval.
fn estimate(estimate: &Estimate) -> Value {
    let bound = |bound: Option<f64>| bound.map_or(Value::Null, short);
    let (low, high) = quantity::interval(estimate).unzip();
    json!([bound(estimate.point), bound(low), bound(high)])
}

fn forest(study: &StudyVerdict, finding: &Finding) -> Value {
    let noise = study.noise.get(&finding.metric).and_then(|noise| noise.floor());
    let cells = finding.parts().map(|(label, ratio)| json!([label, estimate(ratio)]));
    json!({
        "subject": finding.about(),
        "title": quantity::named(&finding.metric).title,
        "direction": quantity::named(&finding.metric).direction(),
        "ratio": finding.ratio.as_ref().map(estimate),
        "cells": cells.collect::<Vec<_>>(),
        "noise": noise.map(short),
    })
}

/// Start, mean, smallest and largest of each point, and the end of the last one.
fn over_time(study: &StudyVerdict, series: &Series) -> Value {
    let points = series.points.iter().map(|point| {
        json!([
            short(point.start_s),
            short(point.mean_per_s),
            short(point.low_per_s),
            short(point.high_per_s)
        ])
    });
    json!({
        "cell": study.cells.iter().position(|cell| cell.configuration == series.configuration),
        "trials": series.trials,
        "end": short(series.end_s),
        "points": points.collect::<Vec<_>>(),
    })
}

fn curve(study: &StudyVerdict, curve: &Curve) -> Value {
    let is_mine = |cell: &Cell| cell.configuration == curve.configuration;
    let step = curve.points.len().div_ceil(CURVE_POINTS_MAX).max(1);
    let last = curve.points.len().saturating_sub(1);
    let kept = curve.points.iter().enumerate().filter(|(index, _)| index % step == 0 || *index == last);
    // The share beyond instead of the quantile, which would round to 1.
    let points = kept.map(|(_, point)| {
        json!([short(1.0 - point.quantile), short(point.value_us), short(point.low_us), short(point.high_us)])
    });
    json!({
        "family": curve.family,
        "title": figure::family_title(&curve.family),
        "cell": study.cells.iter().position(is_mine),
        "points": points.collect::<Vec<_>>(),
    })
}

/// Seven significant digits: more cannot be seen and would triple the file. A number that is not finite becomes null.
fn short(number: f64) -> Value {
    if number == 0.0 || !number.is_finite() {
        return if number == 0.0 { json!(0) } else { Value::Null };
    }
    format!("{number:.6e}").parse::<f64>().map_or(Value::Null, |rounded| {
        let is_whole = rounded.fract() == 0.0 && rounded.abs() < 1e15;
        if is_whole { json!(rounded as i64) } else { json!(rounded) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_closes_the_script_element() {
        let text = embeddable(&json!({ "a": "</script><script>alert(1)</script><!--" }));
        assert!(!text.contains('<'));
        let back: Value = serde_json::from_str(&text).expect("still JSON");
        assert_eq!(back["a"], "</script><script>alert(1)</script><!--");
    }

    #[test]
    fn numbers_are_short() {
        for (number, text) in
            [(1.0 / 3.0, "0.3333333"), (1_132_970.4, "1132970"), (0.0, "0"), (f64::NAN, "null")]
        {
            assert_eq!(short(number).to_string(), text);
        }
        assert_eq!(short(1e-9).to_string(), "1e-9");
    }
}
