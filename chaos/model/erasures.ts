import type { ShopHistory } from '../ledger/read-history.ts';
import { aliasesOf } from './aliases.ts';

/** An erasure that was done, between `from` and `until`. */
export interface Erasure {
  from: number;
  until: number;
  /** All ids that the member had. */
  ids: string[];
}

/** The erasures that were done. */
export function erasuresOf({ acts }: Pick<ShopHistory, 'acts'>): Erasure[] {
  return acts
    .filter(({ act, details }) => act === 'erase' && details['done'] === true)
    .map(({ at, until, details }) => ({ from: at, until, ids: details['ids'] as string[] }));
}

/** Whether an id is one that replaces the id of an erased member. */
export const isErasedId = (id: string) => id.startsWith('erased-');

/**
 * Whether an order that was sent with one member id may be shown with another one: with that of the surviving member after a merge,
 * with none of them after an erasure, and with the same one when the id was used again.
 */
export function openMemberNames(
  shop: Pick<ShopHistory, 'calls' | 'acts'>,
): (sent: string, shown: string) => boolean {
  const aliases = aliasesOf(shop);
  const erased = new Set(erasuresOf(shop).flatMap(({ ids }) => ids));
  return (sent, shown) => {
    if (shown === (aliases.get(sent) ?? sent)) return true;
    return erased.has(sent) && (shown === sent || isErasedId(shown));
  };
}
