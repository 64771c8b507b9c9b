import type { RefusedRequestCounts, RequestDetails } from '@rewardhook/database';
import type { DateTime } from './response.ts';

/** Whether a request was refused, or the status of its answer. */
export type RequestResult = 'success' | 'refused' | `${4 | 5}${number}`;

/** Which requests to list. `from` is inclusive, `until` exclusive. */
export interface RequestFilter {
  /** `X-Request-Id` of the answer, exactly. */
  request_id?: string;
  result?: RequestResult;
  /** The method and the pattern of the path. */
  route?: string;
  code?: string;
  key_id?: string;
  /** A kind of warnings, or `any`. */
  warning?: string;
  from?: DateTime;
  until?: DateTime;
}

/** How many requests were refused, and what the list can be filtered by. */
export interface RequestErrorsView extends RefusedRequestCounts {
  /** Of the newest requests. */
  routes: string[];
  keys: { id: string; name: string }[];
}

export type RequestView = RequestDetails;
