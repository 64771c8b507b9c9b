/** Conditions of a WHERE, each with the one value it is about. */
export interface Conditions {
  /** Adds `condition`, in which `?` stands for the value, unless the value is undefined. */
  add(condition: string, value: unknown): void;
  /** ` AND … AND …`, or nothing. */
  readonly sql: string;
  readonly values: unknown[];
}

/** Opens the conditions of a query whose first values are given: they are `$1`, `$2`, … of it. */
export function openConditions(...first: unknown[]): Conditions {
  const values = [...first];
  let sql = '';
  return {
    add(condition, value) {
      if (value === undefined) return;
      values.push(value);
      sql += ` AND ${condition.replaceAll('?', `$${values.length}`)}`;
    },
    get sql() {
      return sql;
    },
    values,
  };
}
