import { resolve } from 'node:path';
import { audit, correctReward, rewardExportColumns as columns, streamRewards } from '@rewardhook/database';
import type { CorrectionRequest } from '@rewardhook/database';
import { refuseAct } from '../act-refusals.ts';
import { command, UsageError } from '../command.ts';
import type { AdminContext } from '../command.ts';
import { enqueueDue } from '../enqueue-due.ts';
import {
  readCorrectionKey,
  readReason,
  readText,
  readTime,
  readPositive,
  requireMerchant,
} from '../option-values.ts';
import { writeCsv } from './write-csv.ts';

const states = ['pending', 'confirmed', 'revoked', 'cancelled'];

export const rewardExport = command({
  description: "Write a merchant's rewards to a CSV file, oldest first. Date-times are ISO 8601 in UTC.",
  audit: 'reward.exported',
  required: { merchant: 'merchant id', file: 'file to write; an existing file is replaced' },
  optional: {
    since: 'only rewards created from this day or date-time on',
    state: states.join(', ').replace(/, (?=\w+$)/, ' or '),
  },
  async run({ merchant, file, since: sinceText, state }, { database }) {
    if (state !== undefined && !states.includes(state))
      throw new UsageError(`--state must be one of ${states.join(', ')}, not ${state}.`);
    await requireMerchant(database, merchant);
    const since = await readTime(database, merchant, '--since', sinceText);
    await audit(database, { details: { since, state: state ?? null } });
    const path = resolve(file);
    const rows = await writeCsv(path, [...columns], (write) =>
      streamRewards(database, merchant, { since, state: state ?? null }, (rewards) =>
        write(rewards.map((reward) => columns.map((column) => reward[column]))),
      ),
    );
    return { document: { rows, file: path } };
  },
});

const merchant = 'merchant id';
const reason = 'why, for people: it is stored with the correction';
const amount = 'the amount, in units of the reward';
const key =
  'a value of your own: repeated with the same key, the command changes nothing (default: a new one)';
const flags = { 'exceed-limits': 'give it also over a cap or the budget of the program' };

export const rewardGrant = command({
  description:
    'Give a reward for an order by hand. Its events are sent as usual; no rule changes or withdraws it, and caps and the budget count it.',
  audit: 'reward.granted',
  required: { merchant, order: 'order id', role: 'referee or referrer', amount, reason },
  optional: { type: 'points or coupon (default points)', unit: 'what is counted (default points)', key },
  flags: { ...flags, another: 'give it also beside live rewards of the role for this order' },
  run(options, context) {
    const { order: orderId, role, type = 'points', unit = 'points' } = options;
    if (role !== 'referee' && role !== 'referrer')
      throw new UsageError('--role must be referee or referrer.');
    if (type !== 'points' && type !== 'coupon') throw new UsageError('--type must be points or coupon.');
    const request = {
      kind: 'grant',
      orderId,
      role,
      type,
      unit: readText('--unit', unit, 255),
      amount: readPositive('--amount', options.amount),
    } as const;
    const { exceedLimits, another } = options;
    return correct(context, options, {
      ...request,
      exceedLimits: exceedLimits !== undefined,
      another: another !== undefined,
    });
  },
});

export const rewardAdjust = command({
  description:
    'Give a live reward another amount by hand, which it keeps. A confirmed one is revoked and issued again under another id.',
  audit: 'reward.adjusted',
  required: { merchant, reward: 'reward id', amount, reason },
  optional: { key },
  flags,
  run(options, context) {
    const exceedLimits = options.exceedLimits !== undefined;
    const request = {
      kind: 'adjust',
      rewardId: options.reward,
      amount: readPositive('--amount', options.amount),
    } as const;
    return correct(context, options, { ...request, exceedLimits });
  },
});

export const rewardRevoke = command({
  description:
    'Take a live reward back by hand. No rule gives another one for its order and role, nor for its referral under the first-order rule.',
  audit: 'reward.revoked',
  required: { merchant, reward: 'reward id', reason },
  optional: { key },
  run: (options, context) => correct(context, options, { kind: 'revoke', rewardId: options.reward }),
});

/** @throws UsageError, CommandFailed */
async function correct(
  context: AdminContext,
  options: { merchant: string; reason: string; key?: string },
  request: CorrectionRequest,
) {
  const { database } = context;
  const merchantId = options.merchant;
  await requireMerchant(database, merchantId);
  const once = readCorrectionKey(options.key);
  const act = { merchantId, by: 'operator', key: once, reason: readReason(options.reason) };
  const { rewardId, isNew, endpointIds, enqueued } = await correctReward(database, {
    ...act,
    request,
  }).catch(refuseAct);
  const endpoints = endpointIds.map((endpointId) => ({ merchantId, endpointId }));
  await enqueueDue({ batches: enqueued, endpoints }, context);
  return { document: { rewardId, done: isNew, key: once } };
}
