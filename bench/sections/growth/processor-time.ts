import { cpuSeconds } from '../../measure/process-usage.ts';
import { median } from '../../measure/statistics.ts';
import type { Figure, Goal } from '../../report/figure.ts';
import type { Site } from './site.ts';

export interface Measured {
  /** Processor seconds of PostgreSQL. */
  seconds: number;
  /** Bytes of its write-ahead log. */
  logBytes: number;
}

/** What a measurement needs to run some work on one of the databases. */
export interface Work {
  /** Prepares the next run; not measured. */
  prepare?(site: Site, round: number): Promise<void>;
  /** Runs `count` orders, deliveries or whatever is measured. */
  run(site: Site, round: number): Promise<void>;
  count: number;
}

/** Measures the processor time of PostgreSQL, with all its processes, and its log while `run` runs. */
export async function measureWork(pid: number, { sql }: Site, run: () => Promise<void>): Promise<Measured> {
  const position = async () => {
    const { rows } = await sql.query<{ at: string }>(
      `SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::text AS at`,
    );
    return Number(rows[0]?.at);
  };
  const before = await position();
  const started = cpuSeconds(pid);
  await run();
  const seconds = cpuSeconds(pid) - started;
  return { seconds, logBytes: (await position()) - before };
}

/** Runs work alternately on the empty and on the full database, and compares the processor time of 10,000. */
export async function compareSites(
  pid: number,
  sites: { full: Site; empty: Site },
  rounds: number,
  { prepare, run, count }: Work,
): Promise<{ full: Measured[]; empty: Measured[] }> {
  const results = { full: [] as Measured[], empty: [] as Measured[] };
  // One round more: the first one warms up.
  for (let round = 0; round <= rounds; round += 1) {
    const order =
      round % 2 === 0 ? ([sites.empty, sites.full] as const) : ([sites.full, sites.empty] as const);
    for (const site of order) {
      await prepare?.(site, round);
      const { seconds, logBytes } = await measureWork(pid, site, () => run(site, round));
      if (round > 0)
        results[site.name].push({ seconds: (seconds / count) * 10_000, logBytes: logBytes / count });
    }
  }
  return results;
}

/** The figure of a comparison. */
export function comparedFigure(
  section: string,
  name: string,
  { full, empty }: { full: Measured[]; empty: Measured[] },
  goal?: Goal,
  bottleneck?: string,
): Figure {
  const seconds = full.map((one) => one.seconds);
  const bytes = (all: Measured[]) => Math.round(median(all.map(({ logBytes }) => logBytes)));
  return {
    section,
    name,
    value: median(seconds),
    unit: 's',
    repetitions: seconds,
    reference: { name: 'on empty tables', value: median(empty.map((one) => one.seconds)) },
    ...(goal ? { goal } : {}),
    ...(bottleneck === undefined ? {} : { bottleneck }),
    note: `${bytes(full)} bytes of write-ahead log each, ${bytes(empty)} on empty tables`,
  };
}
