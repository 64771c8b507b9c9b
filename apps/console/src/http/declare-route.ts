import type { PageQuery } from '@rewardhook/contract';
import type { Right } from '@rewardhook/contract/rights';
import type { AuditAction } from '@rewardhook/database';
import type { ConsoleErrorCode, PageOfMember } from '../api-types.ts';

/** The right that a call needs; `public` needs no session. */
export type RouteAccess = Right | 'public';

/**
 * Which side of the merchant a route works on: the one that the request selects; `merchant`, for what both have in common
 * (users, team, settings); or `test`, for a route that the live side does not have.
 */
export type RouteSide = 'selected' | 'merchant' | 'test';

/** Which of the limits of a merchant a call counts in: exports, which are long, do not delay the pages. */
export type RouteLimit = 'calls' | 'exports';

interface Options {
  /** Default `selected`. */
  side?: RouteSide;
  /** Of a success; default 200, and 204 without an answer. */
  status?: number;
  /** Errors after which the audit records a refused call. */
  auditRefusals?: ConsoleErrorCode[];
}

/** What the table of routes says of one. `types` is never set: it has the type of the answer, and of the query or body. */
export interface DeclaredRoute<Answer, Input, Access extends RouteAccess = Right> extends Options {
  access: Access;
  /** Default `calls`. */
  limit?: RouteLimit;
  /** What the audit records of a call; null or undefined when the call changes nothing and reads no secret. */
  audit?: AuditAction | null;
  types?: { answer: Answer; input: Input };
}

/** A route that is not a GET says what the audit records of it. */
export type DeclaredChange<Answer, Input, Access extends RouteAccess = Right> = DeclaredRoute<
  Answer,
  Input,
  Access
> & { audit: AuditAction | null };

/** A route that reads one thing. */
export const read = <Answer, Query = undefined>(
  access: Right,
  options: Options = {},
): DeclaredRoute<Answer, Query> => ({ access, ...options });

/** A route that reads without a session. */
export const openRead = <Answer, Query = undefined>(): DeclaredRoute<Answer, Query, 'public'> => ({
  access: 'public',
});

/** A route that reads a list page by page. */
export const list = <Row, Filter = unknown>(
  access: Right,
): DeclaredRoute<PageOfMember<Row>, Filter & PageQuery> => ({ access });

/** A route that sends a list as a CSV file. */
export const csv = <Filter>(access: Right, audit: AuditAction): DeclaredRoute<void, Filter> => ({
  access,
  audit,
  limit: 'exports',
});

/** A route that changes something or needs a body. `Input` is its body, that of a DELETE its query. */
export const change = <Answer, Input = undefined>(
  access: Right,
  audit: AuditAction | null,
  options: Options = {},
): DeclaredChange<Answer, Input> => ({ access, audit, ...options });

/** Such a route that needs no session. */
export const openChange = <Answer, Input = undefined>(
  audit: AuditAction | null,
  options: Options = {},
): DeclaredChange<Answer, Input, 'public'> => ({ access: 'public', audit, ...options });
