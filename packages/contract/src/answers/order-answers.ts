import {
  arraySchema,
  flagSchema,
  integerSchema,
  nullable,
  objectSchema,
  openSchema,
  optionSchema,
  schemaOf,
  textSchema,
  timeSchema,
} from '../json/json-schema.ts';
import { memberId, program, review, role, won } from './shared-fields.ts';
import { rewardTypes } from './values.ts';

const labels = (description: string) => arraySchema({ items: textSchema('A label.'), description });

const storedItem = openSchema(
  objectSchema(
    {
      product_id: textSchema('Your id of the product.'),
      product_name: textSchema('As sent.'),
      quantity: integerSchema('As sent.', 1),
      price: won('List price'),
      paid_amount: won('Amount paid'),
      sku: textSchema('As sent.'),
      cancelled_at: nullable(textSchema('As sent.')),
      labels: labels('Its labels, in lower case; absent for none.'),
    },
    { optional: ['sku', 'cancelled_at', 'labels'] },
  ),
);

const orderState = {
  order_id: textSchema('Your id of the order.'),
  member_id: memberId,
  order_amount: won('Amount of the order'),
  paid_amount: won('Amount paid'),
  paid_now: won('`paid_amount` without the products that were cancelled'),
  every_product_cancelled: flagSchema(
    'Whether all products are cancelled: the order then counts as cancelled.',
  ),
  shipping_amount: won('Shipping fee'),
  order_date: timeSchema('When it was placed.'),
  first_order: flagSchema('As sent; false also means "not known".'),
  paid_at: nullable(timeSchema('When it was paid.')),
  cancelled_at: nullable(timeSchema('When it was cancelled.')),
  returned_at: nullable(timeSchema('When its return was completed.')),
  currency: textSchema(
    'ISO 4217, or the text that was sent in its place, in upper case. Amounts in a currency other than KRW are in its units, as sent.',
  ),
  labels: labels('Its labels, in lower case.'),
  created_at: timeSchema('When it was stored first.'),
  updated_at: timeSchema('When its newest state was stored.'),
};

/** What can be read of orders. */
export const orderAnswers = {
  OrderListItem: objectSchema({
    ...orderState,
    items_count: integerSchema('Number of its products.'),
    last_reason: nullable(textSchema('Reason code of its newest decision; null without one.')),
  }),
  StoredOrder: objectSchema({
    ...orderState,
    items: arraySchema({ items: storedItem, description: 'Its products.' }),
  }),
};

/** The rules of the service: the names of the checks, and the reasons of decisions. */
export interface RuleNames {
  checkNames: readonly string[];
  reasonCodes: readonly string[];
}

/** Why an order earned a reward or none. */
export function explanationSchema({ checkNames, reasonCodes }: RuleNames) {
  const check = objectSchema(
    {
      check: optionSchema(checkNames, 'What was checked.'),
      value: schemaOf<string | number | boolean | null>({
        type: ['string', 'number', 'boolean', 'null'],
        description: 'The value that was checked.',
      }),
      threshold: schemaOf<string | number | null>({
        type: ['string', 'number', 'null'],
        description: 'What it was compared with.',
      }),
      passed: flagSchema('Whether the check passed.'),
      rule: textSchema(
        'Only of the first failed check of a rule that was tried before: the id of that rule.',
      ),
    },
    { optional: ['rule'] },
  );
  const decision = {
    rule: nullable(
      textSchema(
        'The id of the rule that decided, or whose failed condition is the reason; null when it is a check that all rules share.',
      ),
    ),
    outcome: textSchema(
      'What was decided: `rewarded`, `confirmed`, `adjusted`, `kept`, `withdrawn` or `no_reward`.',
    ),
    reason: optionSchema(reasonCodes, 'The reason code.'),
    checks: arraySchema({ items: check, description: 'Each check with its value.' }),
  };
  return objectSchema({
    order_id: textSchema('Your id of the order.'),
    member_id: memberId,
    sent_member_id: nullable(
      textSchema(
        'The id that the order was sent with, when that member was merged into `member_id`; else null.',
      ),
    ),
    version: integerSchema('Version of its newest state.'),
    referral: nullable(
      objectSchema(
        {
          id: textSchema('The referral.'),
          referrer_member_id: memberId,
          referee_member_id: memberId,
          linked_at: timeSchema('When they were linked.'),
          review,
        },
        { description: "The member's referral; null without one." },
      ),
    ),
    similar_members: arraySchema({
      description: 'Referred members whose id looks like `member_id`; none if this member was referred.',
      items: memberId,
      maxItems: 3,
    }),
    program,
    waits_for_evaluation: flagSchema('Whether a newer state of the order waits for evaluation.'),
    evaluation_failed_since: nullable(
      timeSchema('Since when its evaluation is parked; null when it is not.'),
    ),
    decision: objectSchema(decision, { description: 'The last decision.' }),
    stored_decision: nullable(
      objectSchema(
        {
          number: integerSchema('From 1.', 1),
          decided_at: timeSchema('When it was made.'),
          order_version: integerSchema('The state of the order that was evaluated.'),
          program_version: integerSchema('The version of the program that was applied.', 1),
        },
        { description: '`decision` as it is stored; null if the order was never evaluated.' },
      ),
    ),
    today: objectSchema(
      { ...decision, program },
      { description: 'The decision that the newest state would get now.' },
    ),
    counterfactual: nullable(textSchema('What would have to be different to earn a reward.')),
    counterfactual_parts: nullable(
      objectSchema(
        {
          earns: arraySchema({
            items: objectSchema({
              role,
              type: optionSchema(rewardTypes, 'The kind of the reward.'),
              amount: integerSchema('How many of `unit`.'),
              unit: textSchema('What is counted.'),
            }),
          }),
          conditions: arraySchema({
            items: openSchema(
              objectSchema({ code: textSchema('The condition; the other fields depend on it.') }),
            ),
          }),
        },
        { description: '`counterfactual` as codes and parameters.' },
      ),
    ),
    timeline: arraySchema({
      description: 'The history of the order, oldest first.',
      items: openSchema(
        objectSchema({
          at: timeSchema('When it happened.'),
          what: textSchema('What happened; the other fields depend on it.'),
        }),
      ),
    }),
  });
}
