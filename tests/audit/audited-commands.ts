import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitFor } from '@rewardhook/testing';
import { openCleanup } from '../harness/cleanup.ts';
import { openSyncQueue } from '../harness/open-sync-queue.ts';
import type { Flow } from '../harness/start-flow.ts';
import type { MerchantIds } from '../console/merchant-with-data.ts';
import { openRowResets } from './reset-rows.ts';

/** A run of a command with what it needs before. Returns its document. */
type SuccessfulRun = () => Promise<Record<string, unknown>>;

/** A run of every command that the audit records, in an order in which each succeeds. The newcomer has granted no reward. */
export function auditedCommands(flow: Flow, ids: MerchantIds, email: string, newcomerId: string) {
  const { database } = flow;
  const merchant = ids.merchantId;
  const cleanup = openCleanup();
  const folder = mkdtempSync(join(tmpdir(), 'rewardhook-audit-'));
  cleanup.add(() => rmSync(folder, { recursive: true }));
  const rule = join(folder, 'rule.json');
  writeFileSync(rule, JSON.stringify({ minimumPaidAmount: 2 }));
  const run = (name: string, options: Record<string, string | true> = {}) =>
    flow.admin(name, { merchant, ...options });
  const webhook = { webhook: ids.webhookId };
  const reason = 'Promised by support';
  let rewardId = '';
  const replay = { replay: ids.replayId };
  const { setReplay, needsReview, hearRevocations } = openRowResets(flow, ids);

  const runs: Record<string, SuccessfulRun> = {
    'merchant create': () => flow.admin('merchant create', { name: 'Operated shop' }),
    'merchant update': () => run('merchant update', { 'attribution-days': '7' }),
    'merchant pause': () =>
      run('merchant pause', { reason: 'an audit', contact: 'ops@example.com', only: 'ingest' }),
    'merchant resume': () => run('merchant resume'),
    'merchant identity-secret': () => run('merchant identity-secret'),
    'merchant replace-identity-secret': () => run('merchant replace-identity-secret'),
    'merchant invite': () => run('merchant invite', { email: 'invited-by-operator@example.com' }),
    'merchant wipe-test': () => run('merchant wipe-test'),
    'merchant wipe-live': () => flow.admin('merchant wipe-live', { merchant: newcomerId }),
    'origin verify': () =>
      run('origin verify', { origin: 'https://operated.example', 'without-proof': 'true' }),
    'user reset-password': () => flow.admin('user reset-password', { email }),
    'user unlock': () => flow.admin('user unlock', { email }),
    'key create': () => run('key create', { kind: 'secret' }),
    'key revoke': async () => {
      const [key] = await database.apiKey.findMany({
        where: { merchantId: merchant, revokedAt: null, kind: 'public' },
      });
      return run('key revoke', { key: key?.id ?? '' });
    },
    'webhook add': () =>
      run('webhook add', { url: 'https://added.example.com/path-of-a-webhook', events: 'reward.issue' }),
    'webhook pause': () => run('webhook pause', webhook),
    'webhook resume': () => run('webhook resume', webhook),
    'webhook enable': async () => {
      await database.endpoint.updateMany({
        where: { id: ids.webhookId },
        data: { disabledAt: new Date() },
      });
      return run('webhook enable', webhook);
    },
    'webhook set': () => run('webhook set', { ...webhook, 'retry-hours': '9' }),
    'webhook send-earlier-rewards': () => run('webhook send-earlier-rewards', webhook),
    'webhook test': () => run('webhook test', webhook),
    'signing-key show': () => run('signing-key show'),
    'signing-key rotate': () => run('signing-key rotate'),
    'retention prune': () => flow.admin('retention prune', {}),
    'secrets rotate': () => flow.admin('secrets rotate', {}),
    'member link': () => run('member link', { referrer: ids.memberId, referee: 'audit-member-linked' }),
    'member move-link': () =>
      run('member move-link', {
        referee: 'audit-member-linked',
        referrer: 'audit-member',
        reason: 'wrong code',
      }),
    'referral accept': async () => {
      await needsReview();
      return run('referral accept', { referral: ids.referralId });
    },
    'referral reject': async () => {
      await needsReview();
      return run('referral reject', { referral: ids.referralId });
    },
    'problem acknowledge': async () => {
      const { id } = await database.problem.create({
        data: { merchantId: merchant, id: 'prb_audited', kind: 'no_webhook', number: 1 },
      });
      return flow.admin('problem acknowledge', { problem: id, until: '2099-01-01T00:00:00Z' });
    },
    'program publish': () => run('program publish', { program: rule }),
    'reward grant': async () => {
      const options = { order: ids.orderId, role: 'referrer', amount: '2', another: true, reason } as const;
      const granted = await run('reward grant', options);
      rewardId = String(granted['rewardId']);
      return granted;
    },
    'reward adjust': async () => {
      await hearRevocations();
      const adjusted = await run('reward adjust', { reward: rewardId, amount: '3', reason });
      rewardId = String(adjusted['rewardId']);
      return adjusted;
    },
    'reward revoke': () => run('reward revoke', { reward: rewardId, reason }),
    'reward export': () => run('reward export', { file: join(folder, 'rewards.csv') }),
    'delivery retry': () => run('delivery retry', { delivery: ids.deliveryId }),
    'replay create': () =>
      run('replay create', { states: 'delivered', from: '2026-01-01', 'per-minute': '1' }),
    'replay pause': async () => {
      await setReplay('running');
      return run('replay pause', replay);
    },
    'replay resume': async () => {
      await setReplay('paused');
      return run('replay resume', replay);
    },
    'replay cancel': async () => {
      await setReplay('paused');
      return run('replay cancel', replay);
    },
    'evaluation retry': () => run('evaluation retry'),
    'figures rebuild': () => run('figures rebuild'),
    'installation adopt': () => flow.admin('installation adopt', {}),
    'queue retry': () => flow.admin('queue retry', { queue: 'sync' }),
    'queue remove': async () => {
      const sync = await openSyncQueue(flow.environment, cleanup);
      const job = await sync.add('sync', {});
      await waitFor(() => job.isFailed(), { everyMs: 5, what: 'a parked job' });
      return flow.admin('queue remove', { queue: 'sync', job: String(job.id) });
    },
    'member merge': async () => {
      await flow.queues.settled();
      return run('member merge', {
        from: 'audit-member-linked',
        into: 'audit-member-merged',
        reason: 'an audit',
      });
    },
    'member erase': async () => {
      await flow.queues.settled();
      return run('member erase', { member: 'audit-member-merged', force: 'true' });
    },
    'webhook delete': () => run('webhook delete', webhook),
    'signing-key delete': () => run('signing-key delete'),
  };
  return { runs, close: () => cleanup.run() };
}
