import type { ShopHistory } from '../ledger/read-history.ts';

/** Former id → id of the surviving member, from the merges that were answered with success; of chains the last one. */
export function aliasesOf({ calls }: Pick<ShopHistory, 'calls'>): Map<string, string> {
  const merges = calls
    .filter(({ call, outcome }) => call === 'merge' && outcome === 'ok')
    .toSorted((a, b) => a.endedAt - b.endedAt)
    .map(({ body }) => body as { from_member_id: string; into_member_id: string; dry_run?: boolean })
    .filter(({ dry_run: isDryRun }) => isDryRun !== true);
  const aliases = new Map<string, string>();
  for (const { from_member_id: from, into_member_id: into } of merges) {
    for (const [former, survivor] of aliases) if (survivor === from) aliases.set(former, into);
    aliases.set(from, into);
  }
  return aliases;
}
