// SQL for ids that start with a text, in any case. Each finds its rows in the index on `lower(id) text_pattern_ops` of its table, in the
// order of that index, so a page of ten million ids that match reads its own rows only. A text is no pattern: `%` and `_` are characters.

/** A condition, with `?` for the text. */
export const startsWith = (id: string): string => `starts_with(lower(${id}), lower(?))`;

/** The order of ids that match: in lower case by their bytes; those that differ in case only, by the id. */
export const orderOfId = (id: string): string => `lower(${id}) USING ~<~, ${id}`;

/** A condition for the ids after another one, with `?` for that. The first part limits the range of the index. */
export const isAfterId = (id: string): string =>
  `lower(${id}) ~>=~ lower(?) AND (lower(${id}) ~>~ lower(?) OR ${id} > ?)`;
