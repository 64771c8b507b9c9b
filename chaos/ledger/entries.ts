/*
 * What a run writes down. The checks and the report read these entries and nothing else, so they can be made again after the
 * run. `at` is in milliseconds since 1970, by the clock of the harness.
 */

/** An order as the harness sends it. */
export interface SentOrder {
  order_id: string;
  member_id: string;
  order_amount: number;
  paid_amount: number;
  shipping_amount: number;
  order_date: string;
  first_order: boolean;
  paid_at: string | null;
  cancelled_at: string | null;
  returned_at: string | null;
  currency: string | null;
  updated_at: string | null;
  items: SentItem[];
}

export interface SentItem {
  product_id: string;
  product_name: string;
  quantity: number;
  price: number;
  paid_amount: number;
  cancelled_at: string | null;
}

/** The choices of a run. */
export interface RunEntry {
  kind: 'run';
  at: number;
  seed: number;
  minutes: number;
  /** Those that were named; null when the seed chose. */
  scenarios: string[] | null;
  commit: string;
  cores: number;
}

/** A shop that a scenario opened. */
export interface ShopEntry {
  kind: 'shop';
  at: number;
  /** Its name in this run. */
  shop: string;
  scenario: string;
  merchantId: string;
  timeZone: string;
  signingSecret: string;
}

/** A rule that was published, as the shop sent it. `from` and `until`: when the command was sent, and when it was answered. */
export interface RuleEntry {
  kind: 'rule';
  at: number;
  until: number;
  shop: string;
  version: number;
  rule: Record<string, unknown>;
}

/** A webhook that was registered. */
export interface WebhookEntry {
  kind: 'webhook';
  at: number;
  shop: string;
  webhook: string;
  events: string[];
}

/** A call of the API is about to be sent. A call that is repeated has the same `call` and another `id`. */
export interface SentEntry {
  kind: 'sent';
  at: number;
  id: number;
  shop: string;
  call: string;
  /** Which API process it is sent to. */
  api: number;
  method: string;
  path: string;
  body?: unknown;
  idempotencyKey?: string;
}

/**
 * What is known about a call afterwards. `ok`: answered with success. `refused`: answered 4xx, so it has no effect. `unknown`: no
 * answer, or 5xx, so it may have one.
 */
export interface AnsweredEntry {
  kind: 'answered';
  at: number;
  id: number;
  outcome: Outcome;
  status?: number;
  /** The parsed body. */
  answer?: unknown;
}

export type Outcome = 'ok' | 'refused' | 'unknown';

/** Something was done to the service. `ended`: when it was over, and all processes were ready again. */
export interface FaultEntry {
  kind: 'fault';
  at: number;
  ended: number;
  fault: string;
  /** The process or server, or a process and the server that it is connected to. */
  target: string;
  details: string;
}

/** A scenario was started. */
export interface StartedEntry {
  kind: 'started';
  at: number;
  scenario: string;
  round: string;
}

/** A scenario reached the situation in which the guard matters. */
export interface SituationEntry {
  kind: 'situation';
  at: number;
  scenario: string;
}

/** A process ended that no fault had killed. */
export interface ExitEntry {
  kind: 'exit';
  at: number;
  process: string;
  how: string;
}

/** Something that a scenario found wrong while it ran. The final checks cannot see it. */
export interface ViolationEntry {
  kind: 'violation';
  at: number;
  check: string;
  shop?: string;
  text: string;
}

/** How often a check of a scenario looked at something. */
export interface CheckedEntry {
  kind: 'checked';
  at: number;
  check: string;
  count: number;
}

/** A time that a scenario measured, in milliseconds; null when what it waited for did not happen. */
export interface MeasuredEntry {
  kind: 'measured';
  at: number;
  what: string;
  ms: number | null;
}

/** What a scenario did besides calls of the API, such as an erasure by the command line. */
export interface ActEntry {
  kind: 'act';
  at: number;
  until: number;
  shop: string;
  act: string;
  details: Record<string, unknown>;
}

/** The load has ended. `afterMs`: the milliseconds until the work of the service was done; null when it was not. */
export interface DrainedEntry {
  kind: 'drained';
  at: number;
  afterMs: number | null;
  /** What was not done. */
  open: string;
}

/** Rows that were read back from the API after the load, or the document of a command. */
export interface ObservedEntry {
  kind: 'observed';
  at: number;
  shop: string | null;
  what: string;
  rows: unknown[];
}

/** A request that a receiver got, with the answer that it gave. */
export interface ReceivedEntry {
  kind: 'received';
  at: number;
  shop: string;
  webhook: string;
  headers: Record<string, string>;
  /** The bytes of the body, in base64. */
  body: string;
  /** When the answer was sent, and its status; absent when the connection was closed without one. */
  answeredAt?: number;
  status?: number;
  /** When the connection was closed without an answer. */
  closedAt?: number;
}

export type Entry =
  | RunEntry
  | ShopEntry
  | RuleEntry
  | WebhookEntry
  | SentEntry
  | AnsweredEntry
  | FaultEntry
  | StartedEntry
  | SituationEntry
  | ExitEntry
  | ViolationEntry
  | CheckedEntry
  | MeasuredEntry
  | ActEntry
  | DrainedEntry
  | ObservedEntry
  | ReceivedEntry;
