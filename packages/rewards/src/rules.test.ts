import { parseTerms } from './parse-terms.ts';
import { buildInput } from '../testing/build-input.ts';
import { decideByModel } from '../testing/reference-model.ts';
import type { ModelBenefit, ModelFacts, ModelLists, ModelRule } from '../testing/reference-model.ts';
import { sumProducts } from './eligible-products.ts';
import { evaluateOrder } from './evaluate-order.ts';
import type { EvaluationInput } from './evaluation-input.ts';
import { productFiltersOf } from './program.ts';
import type { Program } from './program.ts';
import { simulatedReward } from './simulate.ts';
import { TermsError } from './terms-error.ts';
import { termsDifferences } from './terms-differences.ts';

/** Numbers that look random and are the same in every run (mulberry32). */
function openRandom(seed: number) {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  const of = <T>(values: readonly T[]): T => values[below(values.length)] as T;
  return {
    below,
    of,
    some: <T>(values: readonly T[]) => values.filter(() => next() < 0.3),
    is: (share: number) => next() < share,
  };
}
type Random = ReturnType<typeof openRandom>;

const day = 86_400_000;
const now = Date.UTC(2026, 10, 21);
const times = [-40, -20, -10, -2, -1, 0, 1, 10].map((days) => now + days * day);
const labels = ['gift-card', 'wholesale', 'sale', 'app'];
const productIds = ['P1', 'P2', 'GIFT-1'];
const skus = ['', 'A-1', 'A-2', 'GIFT-9'];
const amounts = [0n, 1n, 999n, 10_000n, 30_000n, 9_007_199_254_740_991n];

function randomBenefit(random: Random): ModelBenefit | null {
  if (random.is(0.2)) return null;
  if (random.is(0.5)) return { fixed: random.of([0n, 1n, 3_000n]) };
  return { hundredths: BigInt(random.of([1, 250, 1_000, 10_000])), cap: random.of([null, null, 500n]) };
}

function randomLists(random: Random): ModelLists | null {
  if (random.is(0.5)) return null;
  const lists = {
    productIds: random.some(productIds),
    productIdPrefixes: random.some(['GIFT-', 'P']),
    skus: random.some(skus.slice(1)),
    skuPrefixes: random.some(['GIFT-', 'A-']),
    labels: random.some(labels),
  };
  return Object.values(lists).some((values) => values.length > 0) ? lists : null;
}

function randomRule(random: Random, id: string): ModelRule {
  const period = () => {
    const [from, until] = [random.of(times), random.of(times)];
    if (random.is(0.75)) return [null, null] as const;
    return from < until ? ([from, until] as const) : ([random.is(0.5) ? from : null, null] as const);
  };
  const [orderedFrom, orderedUntil] = period();
  const [linkedFrom, linkedUntil] = period();
  const hasProducts = random.is(0.5);
  return {
    id,
    trigger: random.of(['first_order', 'every_order'] as const),
    referee: randomBenefit(random),
    referrer: randomBenefit(random),
    minimum: random.of([0n, 1n, 1n, 10_000n]),
    windowDays: random.of([null, null, 5]),
    countsEarlierOrders: random.is(0.5),
    orderedFrom,
    orderedUntil,
    linkedFrom,
    linkedUntil,
    include: hasProducts ? randomLists(random) : null,
    exclude: hasProducts ? randomLists(random) : null,
    any: random.is(0.25) ? random.some(labels) : [],
    none: random.is(0.25) ? random.some(labels) : [],
  };
}

function randomFacts(random: Random): ModelFacts {
  const products = Array.from({ length: random.below(5) }, () => ({
    id: random.of(productIds),
    sku: random.of(skus),
    paid: random.of(amounts),
    cancelled: random.is(0.2),
    labels: random.some(labels),
  }));
  return {
    linkedAt: random.is(0.03) ? null : random.of(times),
    rejected: random.is(0.03),
    paid: random.is(0.97),
    cancelled: random.is(0.03),
    returned: random.is(0.03),
    abroad: random.is(0.03),
    orderedAt: random.of(times),
    markedFirst: random.is(0.3),
    hasEarlierOrder: random.is(0.3),
    paidAmount: random.of([...amounts, 27_000n, 30_000n]),
    shipping: random.of([0n, 3_000n]),
    labels: random.some(labels),
    products,
    holder: random.of(['none', 'none', 'earlier', 'later', 'leaving', 'merged', 'both'] as const),
    left: random.of([null, null, 0n, 3_000n, 5_000n]),
  };
}

const benefitOf = (benefit: ModelBenefit | null) => {
  if (benefit === null) return null;
  const amount =
    'fixed' in benefit
      ? { kind: 'fixed', value: Number(benefit.fixed) }
      : { kind: 'percent', rate: Number(benefit.hundredths) / 100, cap: benefit.cap && Number(benefit.cap) };
  return { type: 'points', unit: 'points', amount };
};
const iso = (at: number | null) => at && new Date(at).toISOString();
const stamp = (at: number) => new Date(at).toISOString().replace('Z', '000Z');

/** The terms as a merchant sends them. */
const termsOf = (rules: ModelRule[], left: bigint | null) =>
  parseTerms({
    rules: rules.map((rule) => ({
      id: rule.id,
      trigger: rule.trigger,
      referee: benefitOf(rule.referee),
      referrer: benefitOf(rule.referrer),
      minimumPaidAmount: Number(rule.minimum),
      windowDays: rule.windowDays,
      earlierOrders: rule.countsEarlierOrders ? 'count' : 'ignore',
      orderedFrom: iso(rule.orderedFrom),
      orderedUntil: iso(rule.orderedUntil),
      linkedFrom: iso(rule.linkedFrom),
      linkedUntil: iso(rule.linkedUntil),
      products: rule.include || rule.exclude ? { include: rule.include, exclude: rule.exclude } : null,
      orderLabels: { any: rule.any, none: rule.none },
    })),
    ...(left !== null && { limits: { budget: { total: 10_000 } } }),
  });

const isMerged = ({ holder }: ModelFacts) => holder === 'merged' || holder === 'both';

function holderOf({ holder }: ModelFacts): EvaluationInput['holder'] {
  if (holder === 'both') return 'leaving';
  return holder === 'none' || holder === 'merged' ? 'earlier' : holder;
}

/** The rewards of other orders. */
function rewardsOf(facts: ModelFacts, referral: EvaluationInput['referral'], program: Program) {
  if (facts.holder === 'none' || !referral) return [];
  const ended = { ...referral, id: 'merged', ended: 'merged' as const };
  return [
    ...(facts.holder === 'merged' ? [] : [simulatedReward(referral, 'another', program)]),
    ...(isMerged(facts) ? [simulatedReward(ended, 'before the merge', program)] : []),
  ];
}

function inputOf(rules: ModelRule[], facts: ModelFacts): EvaluationInput {
  const built = buildInput();
  const program = { id: 'p', version: 1, terms: termsOf(rules, facts.left) };
  const at = stamp(facts.orderedAt);
  const kept = facts.products.filter(({ cancelled }) => !cancelled);
  const referral =
    facts.linkedAt === null
      ? null
      : {
          ...built.referral,
          linkedAt: stamp(facts.linkedAt),
          review: facts.rejected ? ('rejected' as const) : ('none' as const),
          mergedIds: isMerged(facts) ? ['merged'] : [],
        };
  return {
    ...built,
    program,
    referral,
    order: {
      ...built.order,
      orderDate: at,
      paidAt: facts.paid ? at : null,
      cancelledAt: facts.cancelled ? at : null,
      returnedAt: facts.returned ? at : null,
      currency: facts.abroad ? 'USD' : null,
      firstOrder: facts.markedFirst,
      paidAmount: Number(facts.paidAmount),
      shippingAmount: Number(facts.shipping),
      labels: facts.labels,
      items: {
        count: facts.products.length,
        cancelled: facts.products.length - kept.length,
        paidForRest: Number(kept.reduce((sum, { paid }) => sum + paid, 0n)),
      },
      products: sumProducts(
        facts.products.map(({ id, sku, paid, cancelled, labels: ofProduct }) => ({
          ...{ productId: id, sku, paidAmount: Number(paid), isCancelled: cancelled, labels: ofProduct },
        })),
        productFiltersOf(program.terms),
      ),
    },
    earlierPaidOrder: facts.hasEarlierOrder ? 'earlier' : null,
    holder: holderOf(facts),
    rewards: rewardsOf(facts, referral, program),
    usage: {
      referrerTotal: 0,
      referrerMonth: 0,
      spent: facts.left === null ? 0 : 10_000 - Number(facts.left),
    },
  };
}

// Amounts of a test are below those that a number has exactly, so that the sum of what is left is too.
const isExact = ({ products }: ModelFacts) =>
  products.reduce((sum, { paid }) => sum + paid, 0n) <= BigInt(Number.MAX_SAFE_INTEGER);

describe('The rules of a program', () => {
  it('decide as the reference model does, over 20,000 programs and orders', () => {
    const random = openRandom(20_261_129);
    const reasons = new Map<string, number>();
    for (let run = 0; run < 20_000; run += 1) {
      const rules = Array.from({ length: 1 + random.below(4) }, (_, index) =>
        randomRule(random, `r${index}`),
      );
      const facts = randomFacts(random);
      if (!isExact(facts)) facts.products.splice(1);
      const input = inputOf(rules, facts);
      const expected = decideByModel(rules, facts);
      const { reason, rule, give, checks, outcome } = evaluateOrder(input);
      const decided = {
        reason,
        rule,
        give: give.map(({ role, amount }) => ({ role, amount: BigInt(amount) })),
      };
      if (!isSame(decided, expected))
        expect({ run, rules, facts, decided }).toEqual({ run, rules, facts, decided: expected });
      expect(give.every((draft) => draft.rule === rule)).toBe(true);
      // Of each rule before the reported one, its first failed check alone.
      const tried = checks.flatMap((check) => check.rule ?? []);
      expect(new Set(tried).size).toBe(tried.length);
      expect(outcome).toBe(give.length > 0 ? 'rewarded' : 'no_reward');
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    }
    // Every reason of an order without rewards that the facts can lead to.
    expect([...reasons.keys()].toSorted()).toEqual(
      [
        ...[
          'already_rewarded',
          'before_link',
          'below_minimum',
          'budget_exhausted',
          'cancelled',
          'label_excluded',
        ],
        ...['member_not_linked', 'no_eligible_product', 'not_first_order', 'not_paid', 'nothing_to_give'],
        ...[
          'outside_campaign',
          'outside_window',
          'referral_rejected',
          'returned',
          'rewarded',
          'unsupported_currency',
        ],
      ].toSorted(),
    );
  });
});

const points = (value: number) => ({ type: 'points', unit: 'points', amount: { kind: 'fixed', value } });
const base = { id: 'base', referee: points(3_000), referrer: points(3_000) };

describe('parseTerms', () => {
  const problemsOf = (value: unknown) => {
    try {
      parseTerms(value, 'Asia/Seoul');
    } catch (error) {
      if (error instanceof TermsError)
        return Object.fromEntries(Object.entries(error.problems).map(([path, { code }]) => [path, code]));
      throw error;
    }
    return {};
  };

  it('names every problem of several rules at once, with its path', () => {
    const lists = { skus: [''], labels: ['Sale', 7] };
    const rules = [
      { ...base, id: 'Base', orderedFrom: '2026-12-01', products: { exclude: lists } },
      { ...base, orderedFrom: '2026-12-02T00:00:00Z', orderedUntil: '2026-12-02T00:00:00Z', products: {} },
      { ...base, referee: undefined, budget: { total: 1 }, orderLabels: { any: Array(51).fill('a') } },
    ];
    expect(problemsOf({ rules, trigger: 'first_order' })).toEqual({
      'rules[0].id': 'not_a_rule_id',
      'rules[0].orderedFrom': 'date_time_date_only',
      'rules[0].products.exclude.skus[0]': 'empty',
      'rules[0].products.exclude.labels[1]': 'not_a_string',
      'rules[1].orderedUntil': 'not_after',
      'rules[1].products': 'one_field_required',
      'rules[2].referee': 'required',
      'rules[2].budget': 'not_supported_yet',
      'rules[2].orderLabels.any': 'too_many_items',
      'rules[2]': 'duplicate_item',
      trigger: 'unknown_field',
    });
  });

  it('limits the rules, the values of all lists, and the bytes of a version', () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ ...base, id: `r${index}` }));
    const skusOf = (text: string) => Array.from({ length: 200 }, (_, index) => `${text}${index}`);
    const withLists = (text: string, count: number) =>
      many(count).map((rule) => ({ ...rule, products: { exclude: { skus: skusOf(text) } } }));
    expect(problemsOf({ rules: many(20) })).toEqual({});
    expect(problemsOf({ rules: many(21) })).toEqual({ rules: 'too_many_items' });
    expect(problemsOf({ rules: withLists('A', 5) })).toEqual({});
    expect(problemsOf({ rules: withLists('A', 6) })).toEqual({ terms: 'too_many_list_values' });
    expect(problemsOf({ rules: withLists('A'.repeat(100), 4) })).toEqual({ terms: 'too_many_bytes' });
  });

  it('stores what it returns: published again it is the same', () => {
    const rules = [
      {
        ...{
          ...base,
          referee: null,
          referrer: null,
          orderedFrom: '2026-12-01T00:00',
          orderLabels: { none: [' ＳＡＬＥ', 'sale'] },
        },
        products: { include: { labels: ['Sale', 'APP'], skuPrefixes: ['a', 'A', 'a'] }, exclude: null },
      },
    ];
    const terms = parseTerms({ rules }, 'Asia/Seoul');
    expect(terms.rules[0]).toMatchObject({
      name: 'base',
      trigger: 'every_order',
      orderedFrom: '2026-11-30T15:00:00.000000Z',
      orderLabels: { any: [], none: ['sale'] },
      products: { include: { labels: ['app', 'sale'], skuPrefixes: ['a', 'A'], skus: [] } },
    });
    expect(parseTerms(JSON.parse(JSON.stringify(terms)))).toEqual(terms);
  });
});

describe('termsDifferences', () => {
  it('compares rules by their ids, lists as sets, and the order of rules', () => {
    const sale = { ...base, id: 'sale', products: { exclude: { skus: ['A', 'B'] } } };
    const one = parseTerms({ rules: [sale, base] });
    const reordered = { ...sale, products: { exclude: { skus: ['B', 'A'] } } };
    expect(termsDifferences(one, parseTerms({ rules: [reordered, base] }))).toEqual([]);
    expect(termsDifferences(one, parseTerms({ rules: [base, sale] }))).toEqual(['rules']);
    const other = parseTerms({ rules: [{ ...base, holdDays: 7 }], refunds: 'keep' });
    expect(termsDifferences(one, other)).toEqual(['rules[sale]', 'rules[base].holdDays', 'refunds']);
  });
});

describe('The rewards of an order', () => {
  const rules = [
    { ...base, id: 'big', referee: points(5_000), referrer: null, minimumPaidAmount: 20_000 },
    base,
  ];
  const program = (refunds: 'adjust' | 'keep') => ({
    id: 'p',
    version: 1,
    terms: parseTerms({ rules, refunds }),
  });
  /** An order with a reward of the rule `big`, of which another amount is paid now. */
  const withReward = (paidAmount: number, refunds: 'adjust' | 'keep' = 'adjust', changes = {}) => {
    const { order, referral } = buildInput();
    const reward = {
      ...simulatedReward(referral, order.orderId, program(refunds)),
      rule: 'big',
      amount: 5_000,
      ...changes,
    };
    const input = { program: program(refunds), order: { ...order, paidAmount }, rewards: [reward] };
    return evaluateOrder(buildInput({}, input));
  };

  it('are withdrawn when another rule of their version applies', () => {
    expect(withReward(27_000)).toMatchObject({ outcome: 'kept', rule: 'big', withdraw: [] });
    expect(withReward(10_000)).toMatchObject({ outcome: 'withdrawn', reason: 'rule_changed', rule: 'big' });
    expect(withReward(3_000)).toMatchObject({ outcome: 'withdrawn', reason: 'below_minimum' });
  });

  it('stand with a note when they may not change, as long as the conditions of their own rule pass', () => {
    const small = { rule: 'base', amount: 3_000 };
    expect(withReward(27_000, 'adjust', small)).toMatchObject({
      outcome: 'withdrawn',
      reason: 'rule_changed',
    });
    for (const kept of [{ type: 'coupon' }, { correction: 'adjusted' }, { notifiedEndpoints: ['whk_1'] }])
      expect(withReward(27_000, 'adjust', { ...small, ...kept }).checks).toContainEqual({
        ...{ check: 'rule_kept', value: 'big', threshold: 'base', passed: false },
      });
    expect(withReward(27_000, 'keep', small)).toMatchObject({ rule: 'base', withdraw: [] });
    expect(withReward(10_000, 'keep')).toMatchObject({ outcome: 'withdrawn', reason: 'below_minimum' });
  });
});

const isSame = (one: object, other: object) => textOf(one) === textOf(other);
const textOf = (value: object) =>
  JSON.stringify(value, (_key, one: unknown) => (typeof one === 'bigint' ? `${one}n` : one));
