import { readable } from '../report/print-table.ts';
import type { MeasuredSection } from './measured.ts';

/** Orders or deliveries per second that are planned for. */
const loads = [10_000, 100_000, 1_000_000];
/** The share of a core that is planned for: above it, a short peak makes a queue. */
const plannedShare = 0.6;
/** Measured beside the others, but not for each order. */
const perUser = ['load generator', 'dashboard', 'console'];

const plain = 'Processor time for 10,000 orders, no member linked';
const linked = 'Processor time for 10,000 orders, every member linked';
const delivered = 'Processor time for 10,000 deliveries, 10 endpoints';

/** Rows of a table; the first is the heading. */
type Rows = string[][];

/** What a core carries, and how many cores a load needs. */
export function coreRows(measured: MeasuredSection[]): Rows {
  const rowsOf = (title: string, what: string) =>
    figuresOf(measured, title)
      .filter(({ name, value }) => !perUser.includes(name) && value >= 0.05)
      .map(({ name, value }) => [
        what,
        name,
        `${readable(value)} s`,
        rounded(10_000 / value),
        ...loads.map((load) => coresFor(load, value)),
      ]);
  const cores = loads.map((load) => `cores for ${load.toLocaleString('en')}/s`);
  return [
    ['for each', 'process', 'time of 10,000', 'a core carries, per second', ...cores],
    ...rowsOf(plain, 'order, no member linked'),
    ...rowsOf(linked, 'order, every member linked'),
    ...rowsOf(delivered, 'delivery'),
  ];
}

/** Where one server ends, with the arithmetic. */
export function limitRows(measured: MeasuredSection[]): Rows {
  const valueOf = (title: string, name: string) =>
    figuresOf(measured, title).find((figure) => figure.name === name)?.value ?? Number.NaN;
  const share = `${plannedShare * 100} %`;
  const perSecond = (limit: number) => [
    `${rounded(limit)} orders/s`,
    Math.ceil(1_000_000 / limit).toLocaleString('en'),
  ];
  const cores = (title: string, process: string, count: number) => {
    const seconds = valueOf(title, process);
    const limit = ((count * 10_000) / seconds) * plannedShare;
    return [`${count} × 10,000 / ${readable(seconds)} s × ${share}`, ...perSecond(limit)];
  };
  const written = valueOf(
    'Bytes that PostgreSQL writes',
    'write-ahead log for each order, every member linked, one webhook',
  );
  const waiting = valueOf('Memory', 'Redis, per order that waits');
  const rows = [
    ['one Redis, which has one thread', ...cores(linked, 'redis', 1)],
    ...[16, 64].flatMap((count) => [
      [`PostgreSQL with ${count} cores, no member linked`, ...cores(plain, 'postgres', count)],
      [`PostgreSQL with ${count} cores, every member linked`, ...cores(linked, 'postgres', count)],
    ]),
    [
      'a disk that writes 1 GB/s of write-ahead log, every member linked',
      `1 GB / ${readable(written)} bytes × ${share}`,
      ...perSecond((1e9 / written) * plannedShare),
    ],
    [
      'Redis with `maxmemory` of 8 GB, workers stopped',
      `8 GB × 80 % / ${readable(waiting)} bytes`,
      `${rounded((8e9 * 0.8) / waiting)} waiting orders`,
      '',
    ],
  ];
  // Without the rows of sections that were not measured.
  return [
    ['limit', 'arithmetic', 'carries', 'how many for 1,000,000/s'],
    ...rows.filter((row) => !row.join(' ').includes('NaN')),
  ];
}

function figuresOf(measured: MeasuredSection[], title: string): MeasuredSection['figures'] {
  return measured.find(({ section }) => section === title)?.figures ?? [];
}

/** Cores that this load per second uses to {@link plannedShare}. */
function coresFor(load: number, secondsOf10k: number): string {
  const cores = (load * secondsOf10k) / 10_000 / plannedShare;
  return cores < 1 ? cores.toFixed(1) : Math.ceil(cores).toLocaleString('en');
}

function rounded(value: number): string {
  return Number(value.toPrecision(2)).toLocaleString('en');
}
