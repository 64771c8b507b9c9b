import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '@rewardhook/testing';
import { checkNames, defaultTerms, evaluateOrder, parseTerms, productFiltersOf } from './index.ts';
import { reasonCodes, sumProducts } from './index.ts';
import type { Rule } from './index.ts';
import { buildInput } from '../testing/build-input.ts';

const document = readFileSync(join(projectRoot, 'docs/rewards.md'), 'utf8');
const examples = [...document.matchAll(/^```json\n(.*?)^```$/gms)].map((match) => match[1] ?? '');

/** The rows of the table whose first column has this header, each as its cells. */
function rowsOf(header: string): string[][] {
  const lines = document.split('\n');
  const start = lines.findIndex((line) => line.startsWith(`| ${header} `));
  const end = lines.findIndex((line, index) => index > start && !line.startsWith('|'));
  const cells = (line: string) => line.split('|').slice(1, -1);
  return lines.slice(start + 2, end).map((line) => cells(line).map((cell) => cell.trim()));
}

describe('docs/rewards.md', () => {
  it('has examples of terms that parse, the first of them with every field', () => {
    const [full, flat] = examples.map((text) => parseTerms(JSON.parse(text)));
    const [rule] = defaultTerms.rules as [Rule];
    expect(JSON.parse(examples[0] ?? '')).toEqual(full);
    expect(Object.keys(full?.rules[0] ?? {}).toSorted()).toEqual(Object.keys(rule).toSorted());
    expect(flat).toEqual({
      ...defaultTerms,
      rules: [{ ...rule, trigger: 'every_order', referrer: null }],
      limits: { ...defaultTerms.limits, budget: { unit: null, total: 10_000_000, month: null } },
    });
  });

  it('lists every field of the terms and of a rule', () => {
    const [rule] = defaultTerms.rules as [Rule];
    const fieldsOf = (value: object) => Object.keys(value).map((field) => `\`${field}\``);
    expect(rowsOf('field').map(([field]) => field)).toEqual(fieldsOf(defaultTerms));
    const documented = rowsOf('field of a rule').flatMap(([field = '']) => field.split(', '));
    expect(documented.toSorted()).toEqual(fieldsOf(rule).toSorted());
  });

  it('lists the reason codes of the catalogue', () => {
    expect(rowsOf('reason').map(([code]) => code)).toEqual(reasonCodes.map((code) => `\`${code}\``));
  });

  it('lists the checks of the catalogue', () => {
    expect(rowsOf('check').map(([name]) => name)).toEqual(checkNames.map((name) => `\`${name}\``));
  });

  it('lists the checks in the order in which they are made', () => {
    const terms = parseTerms(JSON.parse(examples[0] ?? ''));
    const at = '2026-12-05T00:00:00.000000Z';
    const rules = terms.rules.map((rule) => ({ ...rule, referee: null }));
    const input = buildInput(
      {},
      {
        program: { id: 'p', version: 1, terms: { ...terms, rules } },
        referral: { ...buildInput().referral, review: 'accepted' },
        order: {
          ...{ ...buildInput().order, orderDate: at, paidAt: at, paidAmount: 40_000 },
          products: sumProducts(
            [{ productId: 'p', sku: '', paidAmount: 40_000, isCancelled: false, labels: [] }],
            productFiltersOf(terms),
          ),
        },
      },
    );
    const made = (changes: Partial<typeof input>) =>
      evaluateOrder({ ...input, ...changes }).checks.map(({ check }) => check);
    const seldom = [
      'linked_within',
      'rule_kept',
      'new_member',
      'currency',
      'payment_time',
      'placed_after_link',
      'earlier_first_order',
      'not_revoked_by_person',
      'not_rewarded_before_merge',
      'amount_kept',
      'revocation_notified',
    ];
    expect(made({})).toEqual(checkNames.filter((name) => !seldom.includes(name)));
    // Limits are not checked for an order that earns nothing.
    const abroad = made({
      referral: { ...input.referral, olderOrder: 'older', linkedAt: '2026-12-20T00:00:00.000000Z' },
      order: { ...input.order, currency: 'USD', countsAsPaidAt: '2026-12-01T00:00:00.000000Z' },
    });
    // It is made for an order that has a reward.
    const names = checkNames.filter((name) => name !== 'earlier_first_order' && name !== 'linked_within');
    expect(abroad).toEqual(names.slice(0, abroad.length));
    expect(abroad).toContain('currency');
  });
});
