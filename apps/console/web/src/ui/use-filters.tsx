import { Fragment } from 'react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { DayRangeFilter } from './day-range-filter.tsx';
import { FilterSelect, SearchField } from './filters.tsx';
import classes from './filters.module.css';
import { useDayRange } from './use-day-range.ts';
import { useQueryState } from './use-query-state.ts';

/** A filter of a list. Its name is that of the parameter in the URL and of the API. */
export interface Filter<Value extends string> {
  /** The value in the URL, if it is one. Links can be written by hand. */
  parse(text: string): Value | undefined;
  field(value: Value | undefined, set: (value: string | undefined) => void): ReactNode;
}

/** A search that starts when typing stops. */
export const search = (label: string, { keepBlanks = false } = {}): Filter<string> => ({
  parse: (text) => text,
  field: (value, set) => (
    <SearchField label={label} value={value ?? ''} onSearch={set} keepBlanks={keepBlanks} />
  ),
});

interface Choice<Value extends string> {
  label: string;
  /** Label of the option without a filter. */
  all: string;
  values: readonly Value[];
  textOf: (value: Value) => string;
}

/** A choice of one of several values. */
export const choice = <Value extends string>({
  label,
  all,
  values,
  textOf,
}: Choice<Value>): Filter<Value> => ({
  parse: (text) => values.find((value) => value === text),
  field: (value, set) => (
    <FilterSelect
      label={label}
      all={all}
      value={value}
      onChange={set}
      options={[...new Set([...values, ...(value ? [value] : [])])].map((one) => ({
        value: one,
        label: textOf(one),
      }))}
    />
  ),
});

/** A choice of values that are loaded. A link with a value that is not among them, or not yet, is followed. */
export const openChoice = <Value extends string>(options: Choice<Value>): Filter<Value> => ({
  ...choice(options),
  parse: (text) => text as Value,
});

type Fields = Record<string, Filter<string>>;

/** The filters of a list page. */
export interface Filters<Of extends Fields = Fields> {
  /** The values that are set, as the API takes them. `from` and `until` are times. */
  query: { [Name in keyof Of]?: Of[Name] extends Filter<infer Value> ? Value : never } & {
    from?: string;
    until?: string;
  };
  /** The row of fields above the list. */
  bar: ReactNode;
}

/** Filters whose values are in the URL. `days` adds a range of days, with a text for its empty field when that says which days are meant. */
export function useFilters<Of extends Fields>(
  fields: Of,
  { days = false }: { days?: boolean | string } = {},
): Filters<Of> {
  const { t } = useTranslation();
  const [get, set] = useQueryState();
  const range = useDayRange();
  const filters = Object.entries(fields).map(([name, filter]) => {
    const text = get(name);
    return { name, filter, value: text ? filter.parse(text) : undefined };
  });
  const values = filters.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]]));
  return {
    query: { ...Object.fromEntries(values), ...(days ? range : {}) },
    bar: (
      <div className={classes['bar']} role="search" aria-label={t('common.filters')}>
        {filters.map(({ name, filter, value }) => (
          <Fragment key={name}>{filter.field(value, (chosen) => set({ [name]: chosen }))}</Fragment>
        ))}
        {days && <DayRangeFilter anyTime={days === true ? t('common.anyTime') : days} />}
      </div>
    ),
  };
}
