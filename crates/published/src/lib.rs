//! Tables that others published: readers, and the checks that say which numbers can be believed.
