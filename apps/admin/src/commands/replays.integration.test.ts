import { eraseMember } from '@rewardhook/database';
import { runReplayBatch } from '@rewardhook/database/stages';
import { buildOrder, waitFor } from '@rewardhook/testing';
import { startFlow } from '../../../../tests/harness/start-flow.ts';
import type { Flow } from '../../../../tests/harness/start-flow.ts';
import type { Merchant } from '../../../../tests/harness/open-merchant.ts';

let flow: Flow;
let merchant: Merchant;
beforeAll(async () => {
  flow = await startFlow();
});
beforeEach(async () => {
  merchant = await flow.openMerchant();
});
afterAll(() => flow.close());

const run = (name: string, options: Record<string, string | true> = {}) =>
  flow.admin(name, { merchant: merchant.id, ...options });
const all = { states: 'delivered,exhausted,cancelled,held', from: '2026-01-01', 'per-minute': '60' };
const deliveries = () => flow.database.delivery.findMany({ where: { merchantId: merchant.id } });
const endpoint = async () =>
  (await flow.database.endpoint.findFirstOrThrow({ where: { merchantId: merchant.id } })).id;

/** A referred friend's first order: a reward for each side, issued and delivered. */
async function reward(friend: string): Promise<void> {
  await flow.link(merchant, 'ann', friend);
  await flow.syncAndSettle(merchant, buildOrder({ member_id: friend }));
}

describe('replay create', () => {
  it('counts deliveries by webhook and state in a dry run, and then replays the same ones', async () => {
    await flow.receiver(merchant, 'reward.issue');
    await reward('bob');
    const webhook = await endpoint();
    const counted = {
      total: 2,
      counts: [{ endpointId: webhook, state: 'delivered', count: 2 }],
      skipped: [],
    };
    expect(await run('replay create', { ...all, 'dry-run': true })).toEqual({ dryRun: true, ...counted });
    expect((await run('replay list'))['replays']).toEqual([]);

    const answer = await run('replay create', { ...all, webhook, 'per-minute': '1' });
    expect(answer).toMatchObject({ ...counted, replay: { state: 'running', total: 2, endpointId: webhook } });
    const { id } = answer['replay'] as { id: string };
    expect(await run('replay list')).toMatchObject({ replays: [{ id, perMinute: 1 }] });
    expect(await run('replay cancel', { replay: id })).toMatchObject({
      id,
      state: 'cancelled',
      minutesLeft: 0,
    });
    await expect(run('replay resume', { replay: id })).rejects.toThrow('is cancelled');
  });

  it('rejects invalid options, and replays and webhooks of another merchant', async () => {
    await flow.receiver(merchant, 'reward.issue');
    const wrong: [Record<string, string>, string][] = [
      [{ states: 'pending' }, '--states must be'],
      [{ states: 'delivered,nothing' }, '--states must be'],
      [{ from: 'yesterday' }, '--from must be a date'],
      [{ until: '2026-02-30' }, '--until must be a date'],
      [{ from: '0001-01-01T00:00:00+15:59' }, '--from must be a date'],
      [{ until: '9999-12-31T23:59:59-15:59' }, '--until must be a date'],
      [{ until: '2025-01-01' }, '--from must be before'],
      [{ 'per-minute': '0' }, '--per-minute'],
      [{ 'per-minute': '60001' }, '--per-minute'],
      [{ 'new-ids': 'yes' }, '--new-ids'],
      [{ webhook: 'whk_none' }, 'has no webhook'],
    ];
    for (const [options, message] of wrong)
      await expect(run('replay create', { ...all, ...options })).rejects.toThrow(message);
    const { replay } = await run('replay create', all);
    const { id } = replay as { id: string };
    const other = await flow.openMerchant();
    for (const name of ['show', 'pause', 'resume', 'cancel'])
      await expect(flow.admin(`replay ${name}`, { merchant: other.id, replay: id })).rejects.toThrow(
        'has no replay',
      );
    const webhook = await endpoint();
    await expect(flow.admin('replay create', { merchant: other.id, ...all, webhook })).rejects.toThrow(
      'has no',
    );
    expect(await flow.admin('replay list', { merchant: other.id })).toEqual({ replays: [] });
  });
});

describe('An expired event', () => {
  it('cannot be retried', async () => {
    await flow.receiver(merchant, 'reward.issue');
    await reward('bob');
    const [delivery] = await deliveries();
    const { id, eventId } = delivery as { id: string; eventId: string };
    expect(await run('delivery retry', { delivery: id })).toMatchObject({ due: true });
    await flow.database.event.updateMany({ where: { id: eventId }, data: { expiresAt: new Date() } });
    await expect(run('delivery retry', { delivery: id })).rejects.toThrow('too old to be sent');
  });
});

describe('An erased member', () => {
  it('is left out of retries and of replays under old ids, and is sent with the erased id under new ids', async () => {
    const hook = await flow.receiver(merchant, 'reward.issue');
    await reward('bob');
    const [delivery] = await deliveries();
    await run('member erase', { member: 'bob' });
    expect(await run('replay create', { ...all, 'dry-run': true })).toMatchObject({
      total: 0,
      skipped: [{ reason: 'event_erased', count: 2 }],
    });
    await expect(run('delivery retry', { delivery: delivery?.id ?? '' })).rejects.toThrow('member erased');
    await run('replay create', { ...all, 'new-ids': 'true', 'per-minute': '60000' });
    await hook.waitFor(({ rawBody }) => rawBody.includes('erased-'));
    const old = new Set((await deliveries()).filter(({ replayId }) => replayId === '').map(({ id }) => id));
    const tombstones = hook.received.filter(({ rawBody }) => rawBody.includes('erased-'));
    expect(tombstones.some(({ deliveryId }) => old.has(String(deliveryId)))).toBe(false);
  });

  it('is not erased while a delivery that names them was just made due again', async () => {
    await flow.receiver(merchant, 'reward.issue');
    await reward('bob');
    const [delivery] = await deliveries();
    let erasure: Promise<unknown> | undefined;
    // In the order of a retry or a replay: the event is locked, then the delivery is made due.
    await flow.database.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT 1 FROM events WHERE id = ${delivery?.eventId} FOR SHARE`;
      await tx.$executeRaw`
        UPDATE deliveries SET state = 'pending', next_attempt_at = now() + interval '1 hour'
        WHERE id = ${delivery?.id}::uuid`;
      erasure = eraseMember(flow.database, merchant.id, 'bob', { cancelDeliveries: false });
      erasure.catch(() => undefined);
      // On another connection: a transaction caches pg_stat_activity from its first query.
      const isErasureWaiting = async () => {
        const [row] = await flow.database.$queryRaw<{ waits: boolean }[]>`
          SELECT EXISTS (SELECT 1 FROM pg_stat_activity WHERE datname = current_database()
            AND wait_event_type = 'Lock' AND query LIKE '%UPDATE events%') AS waits`;
        return row?.waits ?? false;
      };
      await waitFor(isErasureWaiting, { everyMs: 5, what: 'the erasure to wait for the event' });
    });
    await expect(erasure).rejects.toThrow('still to be sent');
    const { body } = await flow.database.event.findFirstOrThrow({ where: { id: delivery?.eventId ?? '' } });
    expect(body).toContain('bob');
    expect(await runReplayBatch(flow.database)).toBeUndefined();
  });
});
