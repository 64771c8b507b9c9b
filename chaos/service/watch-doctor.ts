import { setTimeout } from 'node:timers/promises';
import { inBackground } from '../in-background.ts';
import { now } from '../ledger/clock.ts';
import type { Service } from './open-service.ts';

/** What `doctor` reported. It looked between `from` and `until`. */
export interface DoctorReport {
  from: number;
  until: number;
  /** How much it found of each fault, also 0. */
  faults: Record<string, number>;
  /** The open problems. */
  problems: DoctorProblem[];
}

export interface DoctorProblem {
  id: string;
  /** Null for a problem of the operator. */
  merchant_id: string | null;
  kind: string;
  subject: string | null;
  last_seen_at: string;
}

/** Runs `doctor` again and again. */
export interface DoctorWatch {
  /** All reports, the latest last. */
  reports: readonly DoctorReport[];
  /**
   * Resolves with the first report of a look that was begun since a time, and fits. Resolves with undefined when a look that was begun
   * `withinMs` later does not fit either: how long a look takes depends on the machine.
   */
  wait(
    since: number,
    withinMs: number,
    fits: (report: DoctorReport) => boolean,
  ): Promise<DoctorReport | undefined>;
  /** Resolves when the last `doctor` has ended. @throws when a look has failed */
  stop(): Promise<void>;
}

/** A `doctor` takes two seconds of a processor; the service needs it too. */
const pauseMs = 1_000;

/** For how long no look may come to an end, in milliseconds. */
const longestLookMs = 120_000;

/** Runs `doctor` until it is stopped, and writes down what it reports. */
export function watchDoctor({ tryAdmin, ledger }: Service): DoctorWatch {
  const reports: DoctorReport[] = [];
  const stopping = new AbortController();
  const observe = (what: string, row: object) =>
    ledger.write({ kind: 'observed', shop: null, what, rows: [row] });
  const watch = async () => {
    while (!stopping.signal.aborted) {
      const from = now();
      const { document, stderr } = await tryAdmin('doctor');
      const until = now();
      if (document === undefined) {
        // A server was away, or the machine is busy.
        observe('doctor-error', { from, until, stderr });
      } else {
        const { faults, problems } = document as Pick<DoctorReport, 'faults' | 'problems'>;
        const report = { from, until, faults, problems };
        reports.push(report);
        observe('doctor-report', report);
      }
      await setTimeout(pauseMs);
    }
  };
  const watching = inBackground(watch());
  return {
    reports,
    async wait(since, withinMs, fits) {
      for (const end = since + withinMs + longestLookMs; ; await setTimeout(50)) {
        const begun = reports.filter(({ from }) => from >= since);
        const found = begun.find(fits);
        if (found) return found;
        if (begun.some(({ from }) => from >= since + withinMs) || now() > end) return undefined;
      }
    },
    async stop() {
      stopping.abort();
      await watching;
    },
  };
}
