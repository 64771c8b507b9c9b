import { handledInMemory, webhookRoute } from '@rewardhook/verify/next';
import { env } from '../env';
import { add } from '../points';

let receive: ReturnType<typeof webhookRoute> | undefined;

/** It reads the raw bytes of the request itself: a route handler has no body parser. */
export function POST(request: Request): Promise<Response> {
  receive ??= webhookRoute({
    secrets: [env('REWARDHOOK_SIGNING_SECRET')],
    // In production your database, in the same transaction as the grant.
    handled: handledInMemory(),
    onEvent: {
      'reward.issue': ({ data }) => add(data.member_id, data.reward.amount),
      'reward.revoke': ({ data }) => add(data.member_id, -data.reward.amount),
    },
  });
  return receive(request);
}
