import { randomInt } from 'node:crypto';
import type { Order } from '@rewardhook/contract';
import { endHold, findNewestProgram, findSampleProgress, insertReferral } from '@rewardhook/database';
import type { Database, SampleIds, SampleProgress } from '@rewardhook/database';
import { IntakeUnavailable } from '@rewardhook/pipeline';
import { traceOf } from '@rewardhook/process';
import type { SampleStep, SampleView } from '../api-types.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { notFound, refuse } from '../http/console-error.ts';
import type { Handlers } from '../http/route.ts';

/** Won. More when the program demands more. */
const samplePaid = 50_000;

export const sampleHandlers = ({ database, intake, log }: ConsoleDependencies) =>
  ({
    /**
     * Links two new members and sends a paid order of the referee through the same queue as the API. The response comes before
     * the order is stored; GET /samples/:order_id shows how far it is.
     */
    async 'POST /samples'({ merchantId, session, response }) {
      const ids = idsOf(
        randomInt(36 ** 6)
          .toString(36)
          .padStart(6, '0'),
      );
      const { orderId, referrerMemberId, refereeMemberId } = ids;
      const { terms } = await findNewestProgram(database, merchantId);
      const order = sampleOrder(ids, Math.max(samplePaid, terms.rules[0]?.minimumPaidAmount ?? 0));
      await insertReferral(database, {
        merchantId,
        referrerMemberId,
        refereeMemberId,
        source: 'link',
        flags: [],
      });
      await intake
        .accept(merchantId, { count: 1, json: JSON.stringify([order]) }, traceOf(response))
        .catch((error: unknown) => {
          if (error instanceof IntakeUnavailable) throw refuse('service_unavailable');
          throw error;
        });
      log.info('sample created', { merchantId, orderId, userId: session.userId });
      return readSample(database, merchantId, ids);
    },

    async 'GET /samples/:order_id'({ merchantId, params }) {
      return readSample(database, merchantId, idsOfOrder(params.order_id));
    },

    /** Ends the hold of the sample's rewards, so that nobody waits for days. Everything else runs as for any order. */
    async 'POST /samples/:order_id/end-hold'({ merchantId, params }) {
      const ids = idsOfOrder(params.order_id);
      await readSample(database, merchantId, ids);
      await endHold(database, merchantId, ids.orderId);
      return readSample(database, merchantId, ids);
    },
  }) satisfies Partial<Handlers>;

const idsOf = (name: string): SampleIds => ({
  orderId: `sample-${name}-order`,
  referrerMemberId: `sample-${name}-referrer`,
  refereeMemberId: `sample-${name}-referee`,
});

function idsOfOrder(orderId: string): SampleIds {
  const name = /^sample-([0-9a-z]{6})-order$/.exec(orderId)?.[1];
  if (name === undefined) throw notFound();
  return idsOf(name);
}

function sampleOrder({ orderId, refereeMemberId }: SampleIds, paid: number): Order {
  const now = new Date().toISOString();
  return {
    order_id: orderId,
    member_id: refereeMemberId,
    order_amount: paid,
    paid_amount: paid,
    shipping_amount: 0,
    order_date: now,
    first_order: true,
    paid_at: now,
    cancelled_at: null,
    returned_at: null,
    currency: null,
    updated_at: null,
    items: [
      {
        product_id: 'sample-product',
        product_name: 'Sample product',
        quantity: 1,
        price: paid,
        paid_amount: paid,
        sku: '',
        cancelled_at: null,
      },
    ],
  };
}

async function readSample(database: Database, merchantId: string, ids: SampleIds): Promise<SampleView> {
  const progress = await findSampleProgress(database, merchantId, ids);
  if (!progress) throw notFound();
  const { decision, rewards, deliveries, webhooks } = progress;
  return {
    order_id: ids.orderId,
    referrer_member_id: ids.referrerMemberId,
    referee_member_id: ids.refereeMemberId,
    step: stepOf(progress),
    decision,
    rewards,
    deliveries,
    webhooks,
  };
}

function stepOf({ stored, decision, rewards, deliveries }: SampleProgress): SampleStep {
  if (!stored) return 'storing';
  if (!decision) return 'evaluating';
  if (rewards.some(({ state }) => state === 'pending')) return 'holding';
  if (!rewards.some(({ state }) => state === 'confirmed')) return 'no_reward';
  return deliveries.some(({ state, attempts }) => state === 'pending' && attempts === 0)
    ? 'delivering'
    : 'done';
}
