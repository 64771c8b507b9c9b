import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultRule, evaluateOrder, parseRule, reasons } from '@rewardhook/rewards';
import { projectRoot } from '@rewardhook/testing';

const document = readFileSync(join(projectRoot, 'docs/rewards.md'), 'utf8');
const examples = [...document.matchAll(/^```json\n(.*?)^```$/gms)].map((match) => match[1] ?? '');

/** The first column of the table with this header, without backticks. */
function firstColumn(header: string): string[] {
  const lines = document.split('\n');
  const start = lines.findIndex((line) => line.startsWith(`| ${header} `));
  const end = lines.findIndex((line, index) => index > start && !line.startsWith('|'));
  return lines.slice(start + 2, end).map((line) => (line.split('|')[1] ?? '').replaceAll('`', '').trim());
}

describe('docs/rewards.md', () => {
  it('has examples that work when pasted, the first of them with every field', () => {
    const [full, short] = examples.map((text) => parseRule(JSON.parse(text)));
    expect(Object.keys(JSON.parse(examples[0] ?? '') as object).sort()).toEqual(
      Object.keys(defaultRule).sort(),
    );
    expect(JSON.parse(examples[0] ?? '')).toEqual(full);
    expect(short).toEqual({ ...defaultRule, trigger: 'every_order', referrer: null });
  });

  it('lists every field of the rule', () => {
    expect(firstColumn('field')).toEqual(Object.keys(defaultRule));
  });

  it('lists exactly the reason codes there are', () => {
    expect(firstColumn('reason')).toEqual([...reasons]);
  });

  it('lists exactly the checks there are, in the order in which they are made', () => {
    const at = '2026-11-21T00:00:00.000000Z';
    const { checks } = evaluateOrder({
      order: {
        orderId: 'o',
        version: 1,
        memberId: 'bob',
        orderAmount: 30_000,
        paidAmount: 30_000,
        shippingAmount: 0,
        orderDate: at,
        firstOrder: true,
        paidAt: at,
        cancelledAt: null,
        returnedAt: null,
        items: { count: 0, cancelled: 0, paidForRest: 0 },
        month: '2026-11',
      },
      referral: {
        id: 'r',
        code: 'C',
        referrerMemberId: 'ann',
        refereeMemberId: 'bob',
        linkedAt: at,
        review: 'accepted' as const,
      },
      program: {
        id: 'p',
        version: 1,
        rule: { ...parseRule(JSON.parse(examples[0] ?? '')), referee: null },
      },
      earlierPaidOrder: null,
      rewards: [],
      given: { referrerTotal: 0, referrerMonth: 0, spent: 0 },
    });
    expect(firstColumn('check')).toEqual(checks.map(({ check }) => check));
  });
});
