import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type {
  ActEntry,
  AnsweredEntry,
  CheckedEntry,
  DrainedEntry,
  Entry,
  ExitEntry,
  FaultEntry,
  MeasuredEntry,
  Outcome,
  ReceivedEntry,
  RuleEntry,
  RunEntry,
  SentEntry,
  ShopEntry,
  SituationEntry,
  StartedEntry,
  ViolationEntry,
  WebhookEntry,
} from './entries.ts';
import { groupBy } from './group-by.ts';
import { ledgerFiles } from './open-ledger.ts';

/** A call of the API with what became of it. Its effect, if it has one, was between `sentAt` and `endedAt`. */
export interface Call extends Omit<SentEntry, 'kind' | 'at'> {
  sentAt: number;
  /** When it was answered, or its connection closed; infinite when the harness ended before. */
  endedAt: number;
  outcome: Outcome;
  status?: number;
  answer?: unknown;
}

/** What happened at one shop. */
export interface ShopHistory extends ShopEntry {
  rules: RuleEntry[];
  webhooks: WebhookEntry[];
  calls: Call[];
  received: ReceivedEntry[];
  acts: ActEntry[];
  /** What was read back after the load, by name; empty when it was not read. */
  observed<T>(what: string): T[];
}

/** What happened in a run. */
export interface History {
  run: RunEntry;
  shops: ShopHistory[];
  faults: FaultEntry[];
  started: StartedEntry[];
  situations: SituationEntry[];
  exits: ExitEntry[];
  violations: ViolationEntry[];
  checked: CheckedEntry[];
  measured: MeasuredEntry[];
  drained: DrainedEntry | undefined;
  /** When the last entry was written: everything was read back before. */
  endedAt: number;
  /** Documents that belong to no shop, by name. */
  observed<T>(what: string): T[];
}

/** Reads the files of a run. @throws when there are none, or a line is damaged that is not the last one */
export async function readHistory(folder: string): Promise<History> {
  const entries: Entry[] = [];
  for (const file of ledgerFiles) {
    const lines = createInterface({ input: createReadStream(join(folder, file)) });
    let damaged: unknown;
    for await (const line of lines) {
      if (damaged) throw damaged;
      try {
        entries.push(JSON.parse(line) as Entry);
      } catch (error) {
        // The harness was killed while it wrote its last line.
        damaged = error;
      }
    }
  }
  return historyOf(entries);
}

/** Puts entries together. @throws when the first entry of the run is missing */
export function historyOf(entries: readonly Entry[]): History {
  const of = <K extends Entry['kind']>(kind: K) =>
    entries.filter((entry): entry is Extract<Entry, { kind: K }> => entry.kind === kind);
  const [run] = of('run');
  if (!run) throw new Error('The ledger has no entry of a run');
  const answers = new Map(of('answered').map((one) => [one.id, one]));
  const observations = groupBy(of('observed'), ({ shop, what }) => keyOf(shop, what));
  const observed = <T>(shop: string | null, what: string) =>
    (observations.get(keyOf(shop, what)) ?? []).flatMap(({ rows }) => rows) as T[];
  const byShop = <T extends { shop: string }>(all: T[]) => groupBy(all, ({ shop }) => shop);
  const [rules, webhooks, sent, received, acts] = [
    byShop(of('rule')),
    byShop(of('webhook')),
    byShop(of('sent')),
    // Without those whose sender was killed before their body had arrived.
    byShop(of('received').filter(({ body }) => body !== '')),
    byShop(of('act')),
  ];
  const shops = of('shop').map((shop) => ({
    ...shop,
    rules: rules.get(shop.shop) ?? [],
    webhooks: webhooks.get(shop.shop) ?? [],
    calls: (sent.get(shop.shop) ?? []).map((one) => callOf(one, answers.get(one.id))),
    received: received.get(shop.shop) ?? [],
    acts: acts.get(shop.shop) ?? [],
    observed: <T>(what: string) => observed<T>(shop.shop, what),
  }));
  return {
    run,
    shops,
    faults: of('fault'),
    started: of('started'),
    situations: of('situation'),
    exits: of('exit'),
    violations: of('violation'),
    checked: of('checked'),
    measured: of('measured'),
    drained: of('drained').at(-1),
    endedAt: entries.reduce((last, { at }) => Math.max(last, at), 0),
    observed: (what) => observed(null, what),
  };
}

const keyOf = (shop: string | null, what: string) => `${shop ?? ''} ${what}`;

function callOf({ at, ...sent }: SentEntry, answered: AnsweredEntry | undefined): Call {
  if (!answered) return { ...sent, sentAt: at, endedAt: Number.POSITIVE_INFINITY, outcome: 'unknown' };
  const { outcome, status, answer } = answered;
  return {
    ...sent,
    sentAt: at,
    endedAt: answered.at,
    outcome,
    ...(status === undefined ? {} : { status }),
    ...(answer === undefined ? {} : { answer }),
  };
}
