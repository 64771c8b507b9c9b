import type { FuzzRequest } from './requests/fuzz-request.ts';

/** Something that must not be, with the request after which it was seen. */
export interface FuzzFinding {
  what: string;
  request?: FuzzRequest;
}

/** How many requests were sent, and how many came to a handler, by their server and whether they were signed in. */
export interface FuzzResult {
  seed: number;
  sent: Map<string, { sent: number; reached: number }>;
  statuses: Map<number, number>;
  readBack: number;
  /** How many requests came to the handler of each route of the API and of the console. */
  routes: Map<string, number>;
  findings: FuzzFinding[];
}
