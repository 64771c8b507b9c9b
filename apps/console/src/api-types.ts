// The types of the console's HTTP API, for the server and for the page (`import type` only).
//
// All routes are below /api/console, and below /api/console/test for the test side of the merchant. A success is `Data<T>`: `{"data": …}`;
// an error is an `ErrorResponse`. Lists are `Data<Page<T>>` and take `?after=<next of the previous page>&limit=1…200` (default 50).
// Date-times are ISO 8601 in UTC. A request that changes something needs the header `X-Rewardhook-Console: 1`. A change of fields that
// others may change too takes in `base` the values that the caller has read; see `version_conflict`.
export type * from './api-types/response.ts';
export type * from './api-types/error-codes.ts';
export type * from './api-types/errors.ts';
export type * from './api-types/session.ts';
export type * from './api-types/team.ts';
export type * from './api-types/credentials.ts';
export type * from './api-types/webhooks.ts';
export type * from './api-types/replays.ts';
export type * from './api-types/requests.ts';
export type * from './api-types/deliveries.ts';
export type * from './api-types/signature-check.ts';
export type * from './api-types/orders.ts';
export type * from './api-types/rewards.ts';
export type * from './api-types/members.ts';
export type * from './api-types/program.ts';
export type * from './api-types/performance.ts';
export type * from './api-types/home.ts';
export type * from './api-types/audit.ts';
export type * from './api-types/problems.ts';
export type * from './api-types/search.ts';
export type * from './api-types/test-side.ts';
export type {
  MemberRow,
  ReferralRow,
  RefusedRequestsRow,
  ReplayListRow,
  RequestRow,
  RewardListRow,
} from '@rewardhook/database';
