import { memo, useCallback, useMemo, useRef } from 'react';
import type { CSSProperties, MouseEvent, ReactNode } from 'react';
import { useLocation } from 'wouter';
import { requestHeadingFocus } from './heading-focus.ts';
import classes from './data-list.module.css';
import { ErrorNotice } from './error-notice.tsx';
import { ListSkeleton } from './list-skeleton.tsx';
import { useFormat } from './use-format.ts';
import type { Format } from './use-format.ts';

export interface Column<Row> {
  /** Empty for a column of actions. */
  header: string;
  cell: (row: Row) => ReactNode;
  /** Least width in px, and the share of the width that is left over. Default: 120. */
  width?: number;
  /** Aligned to the end, for numbers. */
  end?: boolean;
  /** Whether long content takes more lines. Otherwise it is cut off. */
  wraps?: boolean;
}

/** The columns of a list. A function outside of components is best: rows are not rendered again while it stays the same. */
export type Columns<Row> = (format: Format) => Column<Row>[];

export interface DataListProps<Row> {
  /** Accessible name of the table. */
  caption: string;
  columns: Columns<Row>;
  rows: Row[] | undefined;
  keyOf: (row: Row) => string;
  /** The page that a click on a row opens. One of its cells should contain the same link. */
  linkOf?: ((row: Row) => string) | undefined;
  empty: ReactNode;
  error?: Error | null;
  retry?: () => void;
  /** Whether the rows are those of the previous filter, while new ones load. */
  outdated?: boolean;
  selection?: Selection<Row> | undefined;
}

/** Rows that are selected by their keys. */
export interface Selection<Row> {
  keys: ReadonlySet<string>;
  set: (keys: ReadonlySet<string>) => void;
  /** The most rows that can be selected. */
  most: number;
  /** Accessible name of the box of a row. */
  nameOf: (row: Row) => string;
}

const selectionWidth = 20;

const defaultWidth = 120;

/**
 * A table that becomes a list of cards on a phone, with its loading, empty and error states. Its rows are grids: a browser skips the layout
 * of rows that are out of view, but not of rows of a `<table>`.
 */
export function DataList<Row>(props: DataListProps<Row>) {
  const {
    caption,
    columns: columnsOf,
    rows,
    keyOf,
    linkOf,
    empty,
    error = null,
    retry,
    outdated = false,
    selection,
  } = props;
  const selected = useRef(selection);
  selected.current = selection;
  // The same function for all renders: a row is rendered again only when its own box changes.
  const toggle = useCallback((key: string) => {
    if (!selected.current) return;
    const { keys, set, most } = selected.current;
    const next = new Set(keys);
    if (!next.delete(key) && keys.size < most) next.add(key);
    set(next);
  }, []);
  const format = useFormat();
  const columns = useMemo(() => columnsOf(format), [columnsOf, format]);
  const [, navigate] = useLocation();
  if (!rows) {
    if (!error) return <ListSkeleton columns={columns.length} />;
    return (
      <div style={{ padding: 20 }}>
        <ErrorNotice error={error} {...(retry ? { retry } : {})} />
      </div>
    );
  }
  if (rows.length === 0) return empty;
  const open = ({ target, currentTarget }: MouseEvent<HTMLElement>) => {
    if (!(target instanceof Element) || !linkOf || getSelection()?.toString()) return;
    if (target.closest('a, button, input, label')) return;
    const row = rows[[...currentTarget.children].findIndex((element) => element.contains(target))];
    if (!row) return;
    requestHeadingFocus();
    navigate(linkOf(row));
  };
  const widths = columns.map(({ width = defaultWidth }) => width);
  const tracks = widths.map((width) => `minmax(${width}px, ${width}fr)`);
  if (selection) {
    widths.unshift(selectionWidth);
    tracks.unshift(`${selectionWidth}px`);
  }
  const sizes = {
    '--tracks': tracks.join(' '),
    '--content': `${widths.reduce((sum, width) => sum + width, 0)}px`,
    '--gaps': widths.length - 1,
    '--lines': widths.length,
  } as CSSProperties;
  const kind = columns.some(({ wraps }) => wraps) ? classes['tall'] : classes['even'];
  return (
    <div className={classes['scroll']} aria-busy={outdated}>
      <div className={`${classes['table']} ${kind}`} role="table" aria-label={caption} style={sizes}>
        <div className={classes['head']} role="rowgroup">
          <div className={classes['row']} role="row">
            {selection && (
              <span role="columnheader">
                <SelectAll
                  selection={selection}
                  keys={rows.map(keyOf)}
                  label={format.t('common.selectAll')}
                />
              </span>
            )}
            {columns.map(({ header, end }, index) => (
              <span key={index} role="columnheader" className={end ? classes['end'] : undefined}>
                {header || <span className="visually-hidden">{format.t('common.actions')}</span>}
              </span>
            ))}
          </div>
        </div>
        <div
          className={`${classes['body']} ${linkOf ? classes['linked'] : ''}`}
          role="rowgroup"
          onClick={open}
        >
          {rows.map((row) => (
            <Row
              key={keyOf(row)}
              row={row}
              columns={columns}
              {...(selection && {
                selected: selection.keys.has(keyOf(row)),
                toggle,
                rowKey: keyOf(row),
                name: selection.nameOf(row),
              })}
            />
          ))}
        </div>
      </div>
    </div>
  );
}

interface RowProps<T> {
  row: T;
  columns: Column<T>[];
  /** Of a list whose rows can be selected. */
  rowKey?: string;
  name?: string;
  selected?: boolean;
  toggle?: (key: string) => void;
}

/** A row. It is rendered again only when it has changed. */
const Row = memo(function Row<T>({ row, columns, rowKey, name, selected, toggle }: RowProps<T>) {
  return (
    <div className={classes['row']} role="row">
      {toggle && rowKey !== undefined && (
        <div role="cell" className={classes['select']}>
          <label>
            <input type="checkbox" aria-label={name} checked={selected} onChange={() => toggle(rowKey)} />
          </label>
        </div>
      )}
      {columns.map(({ header, cell, end, wraps }, index) => {
        const content = cell(row);
        const kinds = { cell: true, end, wraps, actions: !header, none: content === '–' };
        const names = Object.entries(kinds).flatMap(([kind, applies]) => (applies ? [classes[kind]] : []));
        return (
          <div key={index} role="cell" data-label={header} className={names.join(' ')}>
            {content}
          </div>
        );
      })}
    </div>
  );
}) as <T>(props: RowProps<T>) => ReactNode;

interface SelectAllProps {
  selection: Pick<Selection<never>, 'keys' | 'set' | 'most'>;
  keys: string[];
  label: string;
}

/** Selects the first rows, as many as can be, or none. */
function SelectAll({ selection: { keys, set, most }, keys: shown, label }: SelectAllProps) {
  const all = shown.slice(0, most);
  const areAll = all.every((key) => keys.has(key));
  return (
    <input
      type="checkbox"
      aria-label={label}
      checked={areAll}
      ref={(box) => {
        if (box) box.indeterminate = keys.size > 0 && !areAll;
      }}
      onChange={(event) => set(new Set(event.currentTarget.checked ? all : []))}
    />
  );
}
