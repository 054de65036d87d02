//! Programs without branches, made offline for one robot and one question.
