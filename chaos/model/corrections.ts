import type { Call, ShopHistory } from '../ledger/read-history.ts';
import type { ObservedReward } from '../shop/observe-shop.ts';

/** A call that grants, adjusts or revokes a reward, after docs/api.md. */
export interface Correction {
  call: Call;
  kind: 'grant' | 'adjust' | 'revoke';
  /** Its `Idempotency-Key`. */
  key: string;
  /** Of a grant the order, otherwise the reward. */
  subject: string;
  body: { amount?: number; role?: string };
  /** The reward that it was answered with. */
  reward: ObservedReward | undefined;
}

const paths: readonly [RegExp, Correction['kind']][] = [
  [/^\/api\/open\/orders\/([^/]+)\/rewards\/$/, 'grant'],
  [/^\/api\/open\/rewards\/([^/]+)\/adjust\/$/, 'adjust'],
  [/^\/api\/open\/rewards\/([^/]+)\/revoke\/$/, 'revoke'],
];

/** The corrections of a shop, in the order in which they were sent. */
export function correctionsOf({ calls }: ShopHistory): Correction[] {
  return calls.flatMap((call) => {
    for (const [path, kind] of paths) {
      const subject = path.exec(call.path)?.[1];
      if (subject === undefined) continue;
      const { data } = (call.answer ?? {}) as { data?: ObservedReward };
      return {
        call,
        kind,
        key: call.idempotencyKey ?? '',
        subject: decodeURIComponent(subject),
        body: call.body as Correction['body'],
        reward: call.outcome === 'ok' ? data : undefined,
      };
    }
    return [];
  });
}

/** The ids of the rewards that people gave: no rule sees or changes them. An adjustment of one gives it another id. */
export function rewardsByHand(shop: ShopHistory): Set<string> {
  const byHand = new Set(
    shop
      .observed<ObservedReward>('rewards')
      .filter(({ corrected }) => corrected === 'granted')
      .map(({ id }) => id),
  );
  for (const { kind, subject, reward } of correctionsOf(shop))
    if (reward && (kind === 'grant' || byHand.has(subject))) byHand.add(reward.id);
  return byHand;
}
