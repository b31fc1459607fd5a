//! Intervals, comparisons, trends, knees and steady state: numbers in, numbers out
