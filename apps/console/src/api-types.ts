// What the console's HTTP API takes and gives, for the server and for the page (`import type` only).
//
// All routes are under /api/console. A success is `Data<T>`: `{"data": …}`; an error `ErrorResponse`. Lists are
// `Data<Page<T>>` and take `?after=<next of the page before>&limit=1…200` (default 50). Date-times are ISO 8601 in UTC.
// What changes something carries the header `X-Rewardhook-Console: 1`. What changes fields that others may change too takes
// them as the caller saw them in `base`; see `version_conflict`.
export type * from './api-types/response.ts';
export type * from './api-types/errors.ts';
export type * from './api-types/session.ts';
export type * from './api-types/team.ts';
export type * from './api-types/credentials.ts';
export type * from './api-types/webhooks.ts';
export type * from './api-types/replays.ts';
export type * from './api-types/deliveries.ts';
export type * from './api-types/signature-check.ts';
export type * from './api-types/orders.ts';
export type * from './api-types/rewards.ts';
export type * from './api-types/members.ts';
export type * from './api-types/program.ts';
export type * from './api-types/home.ts';
