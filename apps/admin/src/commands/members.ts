import {
  audit,
  enqueueOrdersOfReferral,
  eraseMember,
  ErasureRefused,
  findMember,
  insertReferral,
  listAliases,
  mergeMembers,
  moveLink,
  resolveMember,
} from '@rewardhook/database';
import type { Database, LinkMove, MergedMember } from '@rewardhook/database';
import { openQueues, readShards } from '@rewardhook/pipeline';
import { refuseAct, refuseOptions } from '../act-refusals.ts';
import { command, CommandFailed, UsageError } from '../command.ts';
import { toReferralDocument } from '../documents.ts';
import { enqueueDue } from '../enqueue-due.ts';
import { readCorrectionKey, readFlag, readMemberId, readReason, requireMerchant } from '../option-values.ts';
import { countQueuedOrders, removeFinishedOrders } from './queued-orders.ts';

export const memberLink = command({
  description:
    'Link a referee to their referrer. The first link counts; a link of the server takes the place of one by a code ' +
    'if the referee was not new. Their earlier orders are evaluated again.',
  audit: 'referral.created',
  required: { merchant: 'merchant id', referrer: 'member id', referee: 'member id' },
  async run({ merchant, referrer: givenReferrer, referee: givenReferee }, context) {
    const { database } = context;
    const referrer = await resolveMember(database, merchant, readMemberId('--referrer', givenReferrer));
    const referee = await resolveMember(database, merchant, readMemberId('--referee', givenReferee));
    if (referrer === referee) throw new UsageError('A member cannot refer themselves.');
    await requireMerchant(database, merchant);
    const { referral, isNew } = await insertReferral(database, {
      merchantId: merchant,
      referrerMemberId: referrer,
      refereeMemberId: referee,
      source: 'link',
      flags: [],
    }).catch(refuseOptions);
    if (referral.referrerMemberId !== referrer)
      throw new UsageError(`${referee} already has the referrer ${referral.referrerMemberId}.`);
    // Also for a link that exists, which the API does not: an operator can have the orders evaluated again.
    const due = await enqueueOrdersOfReferral(database, merchant, referral);
    const ordersToEvaluate = await enqueueDue({ batches: due }, context);
    return { document: { referral, isNew, ordersToEvaluate } };
  },
});

export const memberMoveLink = command({
  description:
    'Move the link of a referee to another referrer by hand. What the former referrer got is taken back; the new one ' +
    'gets what the rules allow. A referee without a referrer gets one with --from-order.',
  audit: 'referral.moved',
  required: {
    merchant: 'merchant id',
    referee: 'member id',
    referrer: 'member id of the new referrer',
    reason: 'why, for people: it is stored with the move',
  },
  optional: {
    'from-order':
      'an order of the referee that came from the referrer: only orders from its date on count, and the referee counts as new',
    key: 'a value of your own: repeated with the same key, the command changes nothing (default: a new one)',
  },
  async preview(options, { database }) {
    const move = await readMove(database, options);
    const {
      referral,
      formerReferrerMemberId: former,
      effects,
    } = await moveLink(database, { ...move, dryRun: true }).catch(refuseAct);
    const why = effects ? '' : ' Its rewards cannot be counted: an order of the referee cannot be read.';
    return {
      what: `Moves the referral ${referral.id} of ${move.refereeMemberId} from ${former ?? 'nobody'} to ${move.referrerMemberId}.${why}`,
      counts: {
        ...(effects && { rewardsWithdrawn: effects.withdrawn.rewards, rewardsGiven: effects.given.rewards }),
      },
    };
  },
  async run(options, context) {
    const move = await readMove(context.database, options);
    // Only the question shows the effects.
    const { referral, formerReferrerMemberId, isNew, enqueued } = await moveLink(context.database, {
      ...move,
      withoutEffects: true,
    }).catch(refuseAct);
    const ordersToEvaluate = await enqueueDue({ batches: enqueued }, context);
    const document = {
      referral,
      formerReferrerMemberId,
      isNew,
      ordersToEvaluate,
    };
    return { document: { ...document, key: move.key } };
  },
});

interface MoveOptions {
  merchant: string;
  referee: string;
  referrer: string;
  reason: string;
  fromOrder?: string;
  key?: string;
}

/** @throws UsageError */
async function readMove(database: Database, options: MoveOptions): Promise<LinkMove> {
  const { merchant: merchantId, referee, referrer, reason, fromOrder, key } = options;
  await requireMerchant(database, merchantId);
  return {
    merchantId,
    refereeMemberId: readMemberId('--referee', referee),
    referrerMemberId: readMemberId('--referrer', referrer),
    fromOrderId: fromOrder ?? null,
    reason: readReason(reason),
    by: 'operator',
    key: readCorrectionKey(key),
  };
}

export const memberShow = command({
  description:
    'Show a member: their referral code, their referrer, the members they referred (newest first), and flags.',
  audit: null,
  required: { merchant: 'merchant id', member: 'member id' },
  async run({ merchant, member }, { database }) {
    const found = await findMember(database, merchant, member);
    if (!found)
      throw new UsageError(
        `Merchant ${merchant} has no member ${member}: there was no boot call or link with this id.`,
      );
    const { referredBy, referrals } = found;
    return {
      document: {
        ...found,
        referredBy: referredBy && toReferralDocument(referredBy),
        referrals: referrals.map((referral) => toReferralDocument(referral)),
      },
    };
  },
});

const mergeOptions = {
  required: {
    merchant: 'merchant id',
    from: 'id of the member who is merged',
    into: 'id of the member who survives; an unused id renames the member',
    reason: 'why, for people: it is stored with the merge',
  },
  optional: {
    key: 'a value of your own: repeated with the same key, the command changes nothing (default: a new one)',
  },
} as const;

export const memberMerge = command({
  description:
    'Merge a member into another one, or rename one. The former id and code mean the surviving member for good. Cannot be undone.',
  audit: 'member.merged',
  ...mergeOptions,
  async preview(options, { database }) {
    const result = await merge(database, options, { dryRun: true });
    return {
      what: `Merges the member ${result.mergedMemberId} of ${options.merchant} into ${result.memberId}. This cannot be undone.`,
      counts: {
        ordersMoved: result.ordersMoved,
        refereesMoved: result.refereesMoved,
        referralsEnded: result.endedReferral ? 1 : 0,
        rewardsCancelled: result.rewardsCancelled,
        rewardsKept: result.rewardsKept,
      },
    };
  },
  async run(options, context) {
    const { isNew, enqueued, endpointIds: _none, key, ...result } = await merge(context.database, options);
    const ordersToEvaluate = await enqueueDue({ batches: enqueued }, context);
    return { document: { ...result, ordersToEvaluate, done: isNew, key } };
  },
});

/** @throws UsageError, CommandFailed */
async function merge(
  database: Database,
  {
    merchant,
    from,
    into,
    reason,
    key: given,
  }: Record<'merchant' | 'from' | 'into' | 'reason', string> & {
    key?: string;
  },
  { dryRun = false } = {},
): Promise<MergedMember & { key: string }> {
  await requireMerchant(database, merchant);
  const members = { merchantId: merchant, from, into: readMemberId('--into', into) };
  const key = readCorrectionKey(given);
  const act = { by: 'operator', key, reason: readReason(reason), dryRun };
  const merged = await mergeMembers(database, { ...members, ...act }).catch(refuseAct);
  return { ...merged, key };
}

/** The aliases are forgotten in PostgreSQL, so each id is erased for itself then. */
const partlyErased = (memberIds: string[]) =>
  'The member is erased in PostgreSQL, but failed jobs in Redis may still contain orders of theirs. Run the same ' +
  'command again when Redis is available: it removes what is left.' +
  (memberIds.length > 1 ? ` Run it for each former id: ${memberIds.join(', ')}.` : '');

const unreadableWaiting = (jobs: string[]) =>
  `Waiting jobs of the queue sync cannot be read, and may contain orders of the member: ${jobs.join(', ')}. Nothing was ` +
  'erased: try again in a moment. If a newer release has added them, use its command line.';

const unreadableParked = (jobs: string[]) =>
  `Parked jobs of the queue sync cannot be read, and may contain orders of the member: ${jobs.join(', ')}. ` +
  'docs/operations/act.md#parked-jobs says what to do with them.';

export const memberErase = command({
  description:
    "Replace a member's id, and those that were merged into it, with random ones everywhere. Their rewards and links stay without their id. Cannot be undone.",
  audit: 'member.erased',
  required: { merchant: 'merchant id', member: 'member id' },
  optional: { force: 'true first cancels the unsent deliveries that name the member (default false)' },
  async preview({ merchant, member, force }, { database }) {
    const cancelDeliveries = readFlag('--force', force);
    await requireMerchant(database, merchant);
    const erasure = await eraseMember(database, merchant, member, { cancelDeliveries, dryRun: true }).catch(
      (error: unknown) => {
        throw error instanceof ErasureRefused ? new CommandFailed(error.message) : error;
      },
    );
    return {
      what: `Replaces the id of the member ${member} of ${merchant} by a random one everywhere. This cannot be undone.`,
      counts: { ...erasure?.replaced, deliveriesCancelled: erasure?.deliveriesCancelled ?? 0 },
    };
  },
  async run({ merchant, member, force }, { database, queuePrefix, redis, warn }) {
    const cancelDeliveries = readFlag('--force', force);
    await requireMerchant(database, merchant);
    const connection = await redis();
    const queues = openQueues(connection, queuePrefix, await readShards(connection, queuePrefix));
    const sync = queues.filter(({ name }) => name === 'sync');
    try {
      const survivor = await resolveMember(database, merchant, member);
      const memberIds = [
        ...new Set([member, survivor, ...(await listAliases(database, merchant, survivor))]),
      ];
      const owner = { merchantId: merchant, memberIds };
      const queued = await countQueuedOrders(sync, owner);
      if (queued.orders > 0)
        throw new CommandFailed(
          `${queued.orders} orders of the member are not stored yet. Nothing was erased: try again in a moment.`,
        );
      if (queued.unreadable.length > 0) throw new CommandFailed(unreadableWaiting(queued.unreadable));
      const erasure = await eraseMember(database, merchant, member, { cancelDeliveries });
      // Also when the member is not found: an earlier run may have been interrupted after the erasure in PostgreSQL.
      const removed = await removeFinishedOrders(sync, owner).catch((cause: unknown) => {
        throw erasure ? new CommandFailed(partlyErased(memberIds), { cause }) : cause;
      });
      const { completed, failed, unreadable } = removed;
      if (unreadable.length > 0) warn(unreadableParked(unreadable));
      if (!erasure && failed === 0)
        throw new CommandFailed(
          `Merchant ${merchant} has no member ${member} and no order of theirs, in PostgreSQL or in ` +
            `${unreadable.length > 0 ? 'jobs that can be read' : 'Redis'}.`,
        );
      // The entry of an erasure is stored with it; that of a second run, here.
      if (!erasure) await audit(database);
      return {
        document: { ...erasure, jobsForgotten: completed + failed, jobsUnreadable: unreadable },
        ok: unreadable.length === 0,
      };
    } catch (error) {
      throw error instanceof ErasureRefused ? new CommandFailed(error.message) : error;
    } finally {
      await Promise.all(queues.map((queue) => queue.close()));
    }
  },
});
