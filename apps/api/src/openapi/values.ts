import type { EndpointState } from '@rewardhook/database';
import type { AttemptErrorClass } from '@rewardhook/webhook';
import type { LinkOutcome } from '../members/link-by-code.ts';

/*
 * The values of fields that are types elsewhere. A value that is missing or that no longer exists is a type error.
 */

const allOf =
  <Value extends string>() =>
  <Given extends Value>(...given: [Value] extends [Given] ? Given[] : never): readonly Value[] =>
    given;

/** Why an attempt has no response. */
export const attemptErrors = allOf<AttemptErrorClass>()(
  'dns',
  'connect',
  'tls',
  'timeout',
  'reset',
  'http',
  'blocked',
  'aborted',
);

/** States of a webhook. */
export const endpointStatuses = allOf<EndpointState['status']>()('active', 'paused', 'failing', 'disabled');

/** What a boot call can result in. */
export const linkOutcomes = allOf<LinkOutcome | 'unverified'>()(
  'linked',
  'already_linked',
  'no_code',
  'unknown_code',
  'own_code',
  'cycle',
  'not_new',
  'expired',
  'unverified',
);
