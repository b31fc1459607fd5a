//! What is wrong with a published file, and where.

/// What is wrong with a published file, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{}: {what}", place(source_name, *line),
    column.as_ref().map(|column| format!(", column {column}")).unwrap_or_default())]
pub struct ReadError {
    pub source_name: String,
    /// The line, from 1.
    pub line: Option<u64>,
    /// The column's name, or its number from 1.
    pub column: Option<String>,
    /// What does not fit.
    pub what: String,
    /// Whether a column has to be given its role first.
    pub needs_role: bool,
}

fn place(source: &str, line: Option<u64>) -> String {
    line.map_or_else(|| source.to_owned(), |line| format!("{source} line {line}"))
}

impl ReadError {
    pub(crate) fn whole(source: &str, what: impl Into<String>) -> Self {
        Self {
            source_name: source.to_owned(),
            line: None,
            column: None,
            what: what.into(),
            needs_role: false,
        }
    }

    pub(crate) fn at(source: &str, line: u64, what: impl Into<String>) -> Self {
        Self { line: Some(line), ..Self::whole(source, what) }
    }

    /// The same for what is mended by giving a column its role.
    pub(crate) fn needing_role(self) -> Self {
        Self { needs_role: true, ..self }
    }

    pub(crate) fn in_column(self, column: impl Into<String>) -> Self {
        Self { column: Some(column.into()), ..self }
    }
}
