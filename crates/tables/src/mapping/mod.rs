//! Which column plays which role: as it was typed, or by the header's own names.

mod column;

pub(crate) use column::{Column, Figure, figures};

use crate::cell::Cell;
use crate::number::Decimal;
use crate::role::Role;
use column::{check, unknown_column};
use laws::Claim;
use model::{excerpt, suggestion};

/// What `--columns` said.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mapping {
    columns: Vec<(Role, String, String)>,
    constants: Vec<(Role, String, String)>,
    /// The mark before decimals, where the table does not show it.
    decimal: Option<Decimal>,
}

/// The fact `decimal:point` or `decimal:comma`.
const DECIMAL: &str = "decimal";

impl Mapping {
    /// Reads `ROLE=COLUMN,…`. `ROLE:VALUE` says something of every row that the table has no column for, such as
    /// `in_flight:32`; fio's JSON, which has no columns, takes nothing else, and what is typed counts more than
    /// what they say. An empty text leaves everything to the header.
    ///
    /// # Errors
    /// A sentence: an unknown role with its nearest neighbour, or what is missing.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut mapping = Self::default();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let place = part.find(['=', ':']);
            let (name, rest) = place.map(|place| part.split_at(place)).unwrap_or_default();
            let target = rest.get(1..).unwrap_or_default().trim();
            if name.trim().is_empty() || target.is_empty() {
                return Err(format!("\"{}\": write ROLE=COLUMN or ROLE:VALUE", excerpt(part)));
            }
            if name.trim() == DECIMAL && rest.starts_with(':') {
                mapping.decimal = Some(decimal(target)?);
                continue;
            }
            let role = Role::parse(name.trim())?;
            let entry = (role, name.trim().to_owned(), target.to_owned());
            if rest.starts_with(':') && !matches!(entry.0, Role::Field(..) | Role::Latency(..)) {
                return Err(format!("\"{}\": a {} is a column's: write ROLE=COLUMN", excerpt(part), entry.1));
            }
            if rest.starts_with('=') { &mut mapping.columns } else { &mut mapping.constants }.push(entry);
        }
        Ok(mapping)
    }

    /// Whether nothing was reported.
    pub fn is_empty(&self) -> bool {
        self == &Self::default()
    }

    /// The mark before decimals that was stated.
    pub(crate) const fn decimal(&self) -> Option<Decimal> {
        self.decimal
    }

    /// Whether a column was given its role: only a table with a header can take that.
    pub(crate) fn names_columns(&self) -> bool {
        !self.columns.is_empty()
    }

    /// Whether this column was given its role.
    pub(crate) fn names(&self, column: &str) -> bool {
        self.columns.iter().any(|(_, _, name)| name == column)
    }

    /// What of it concerns a table with this header; a page has several.
    pub(crate) fn of_header(&self, header: &[String]) -> Self {
        let has = |name: &String| header.contains(name);
        let columns = self.columns.iter().filter(|(_, _, name)| has(name)).cloned().collect();
        Self { columns, ..self.clone() }
    }

    /// A sentence about a column that none of these is.
    pub(crate) fn missing<'a>(&self, headers: impl Iterator<Item = &'a String>) -> Option<String> {
        let columns: Vec<Column> =
            headers.map(|name| Column { name: name.clone(), role: None, role_name: String::new() }).collect();
        let is_there = |name: &String| columns.iter().any(|column| column.name == *name);
        let (_, _, name) = self.columns.iter().find(|(_, _, name)| !is_there(name))?;
        Some(unknown_column(name, &columns))
    }

    /// Gives one column its role: `NAME=ROLE`, for a name that may hold commas and more.
    ///
    /// # Errors
    /// A sentence: an unknown role with its nearest neighbour, or what is missing.
    pub fn add_column(&mut self, text: &str) -> Result<(), String> {
        let written = text.rsplit_once('=').map(|(name, role)| (name.trim(), role.trim()));
        let Some((name, role)) = written.filter(|(name, role)| !name.is_empty() && !role.is_empty()) else {
            return Err(format!("\"{}\": write NAME=ROLE", excerpt(text)));
        };
        self.columns.push((Role::parse(role)?, role.to_owned(), name.to_owned()));
        Ok(())
    }

    /// Puts what was stated about every row into one.
    ///
    /// # Errors
    /// A sentence with the role: a value that does not fit it.
    pub(crate) fn say_of(&self, row: &mut Claim) -> Result<(), String> {
        for (role, name, value) in &self.constants {
            role.apply(row, Cell::plain(value))
                .map_err(|what| format!("the value stated for {name}: {what}"))?;
        }
        Ok(())
    }

    /// Gives every column of a header its role.
    pub(crate) fn resolve(&self, header: &[String]) -> Result<Vec<Column>, String> {
        let mut columns = column::by_names(header);
        for (role, role_name, name) in &self.columns {
            let found = columns.iter().position(|column| column.name == *name);
            let Some(index) = found else {
                return Err(unknown_column(name, &columns));
            };
            if !matches!(role, Role::Label | Role::Knob | Role::Figure) {
                columns
                    .iter_mut()
                    .filter(|column| column.role.as_ref() == Some(role))
                    .for_each(|column| column.role = None);
            }
            columns[index] =
                Column { name: name.clone(), role: Some(role.clone()), role_name: role_name.clone() };
        }
        check(&columns)?;
        Ok(columns)
    }
}

fn decimal(name: &str) -> Result<Decimal, String> {
    match name {
        "point" => Ok(Decimal::Point),
        "comma" => Ok(Decimal::Comma),
        _ => Err(suggestion::unknown("decimal mark", name, ["point", "comma"])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(text: &str) -> Vec<String> {
        text.split(',').map(str::to_owned).collect()
    }

    fn roles(mapping: &str, names: &str) -> Result<Vec<String>, String> {
        let columns = Mapping::parse(mapping)?.resolve(&header(names))?;
        Ok(columns
            .into_iter()
            .map(|column| column.role.map_or("-".to_owned(), |_| column.role_name))
            .collect())
    }

    #[test]
    fn headers_tell_what_they_can() {
        assert_eq!(roles("", "name,iops,iops_ci,colour").unwrap(), ["name", "iops", "spread of iops", "-"]);
        assert_eq!(roles("", "commits_mean,commits_ci").unwrap(), ["figure", "spread of commits_mean"]);
        assert_eq!(roles("latency_mean_us=avg", "iops,avg").unwrap(), ["iops", "latency_mean_us"]);
        assert_eq!(roles("iops=mine", "iops,mine").unwrap(), ["-", "iops"]);
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let said = [
            ("iosp=x", "x"),
            ("iops=far", "x"),
            ("iops", "x"),
            ("=x", "x"),
            ("label:x", "x"),
            ("", "latency_mean_us,latency_mean_ms"),
            ("half_width_of_far=x", "x"),
        ]
        .map(|(mapping, names)| roles(mapping, names).unwrap_err());
        insta::assert_snapshot!(said.join("\n"), @r#"
        unknown role "iosp"; did you mean "iops"?
        unknown column "far"; there are: x
        "iops": write ROLE=COLUMN or ROLE:VALUE
        "=x": write ROLE=COLUMN or ROLE:VALUE
        "label:x": a label is a column's: write ROLE=COLUMN
        the columns "latency_mean_us" and "latency_mean_ms" both give latency_mean_ms: state which one does
        unknown column "far"; there are: x
        "#);
    }
}
