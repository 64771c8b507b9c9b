import { auditActions, listAuditPage } from '@rewardhook/database';
import { modeOf, parseInstant } from '@rewardhook/contract';
import { command, UsageError } from '../command.ts';
import { readLimit, readTime, requireMerchant } from '../option-values.ts';

export const auditList = command({
  description:
    'List who did what, newest first: changes in the console and on the command line, and sign-ins.',
  audit: null,
  required: {},
  optional: {
    merchant: 'merchant id (default: all merchants, and what concerns none)',
    since: 'only entries from this date-time on; with --merchant also a day',
    actor: 'e-mail address or id of a user, or name of an operator or process',
    action: 'such as webhook.created',
    request: 'request id',
    limit: '1 to 1000 (default 100)',
  },
  async run({ merchant, since: sinceText, actor, action, request, limit = '100' }, { database }) {
    const count = readLimit(limit);
    if (action !== undefined && !(auditActions as readonly string[]).includes(action))
      throw new UsageError(`--action must be one of ${auditActions.join(', ')}.`);
    if (merchant !== undefined) await requireMerchant(database, merchant);
    const from =
      merchant === undefined
        ? readInstant(sinceText)
        : ((await readTime(database, merchant, '--since', sinceText)) ?? undefined);
    const search = { merchantId: merchant, actor, action, requestId: request, from };
    const { items, next } = await listAuditPage(database, search, { after: null, limit: count });
    const entries = items.map((entry) => ({
      ...entry,
      mode: entry.merchant_id === null ? null : modeOf(entry.merchant_id),
    }));
    return { document: { entries, more: next !== null } };
  },
});

/** Reads a date-time with its offset. @throws UsageError */
function readInstant(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const at = parseInstant(text);
  if (typeof at !== 'string')
    throw new UsageError('--since must be a date-time such as 2026-11-21T09:00:00+09:00 without --merchant.');
  return at;
}
