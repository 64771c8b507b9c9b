import type { Benefit, ProductLists, Rule } from '@rewardhook/rewards';
import { useTranslation } from 'react-i18next';
import type { Terms } from '../../data/types.ts';
import { useSession } from '../../app/session-context.ts';
import { exactTime } from '../../ui/format-time.ts';
import { useFormat } from '../../ui/use-format.ts';

/** A field of terms; `key` is the same in every version. */
interface DescribedField {
  key: string;
  name: string;
  value: string;
}

/** Describes terms: name and value of each field, in the order of the form, those of each rule first. */
export function useRuleDescription(): (terms: Terms) => DescribedField[] {
  const { t } = useTranslation();
  const { amount, number, won } = useFormat();
  const { timezone } = useSession().merchant;
  const benefit = (given: Benefit | null): string => {
    if (!given) return t('program.noReward');
    const type = t(`program.types.${given.type}`);
    const kind = given.type === 'points' && given.unit === 'points' ? '' : ` (${type})`;
    const valid =
      given.validDays === null ? '' : `, ${t('program.validDays', { days: number(given.validDays) })}`;
    if (given.amount.kind === 'fixed') return `${amount(given.amount.value, given.unit)}${kind}${valid}`;
    const { rate, cap } = given.amount;
    const most = cap === null ? '' : `, ${t('program.atMost', { amount: amount(cap, given.unit) })}`;
    return `${t('program.percentOf', { rate })}${most} · ${given.type === 'points' && given.unit === 'points' ? type : `${given.unit}${kind}`}${valid}`;
  };
  const limit = (value: number | null): string => (value === null ? t('program.noLimit') : number(value));
  const period = (from: string | null, until: string | null): string =>
    t(`program.periods.${until === null ? 'from' : from === null ? 'until' : 'both'}`, {
      from: from && exactTime(from, timezone),
      until: until && exactTime(until, timezone),
    });
  const listed = (lists: ProductLists): string =>
    (['productIds', 'productIdPrefixes', 'skus', 'skuPrefixes', 'labels'] as const)
      .filter((name) => lists[name].length > 0)
      .map((name) => t(`program.lists.${name}`, { values: lists[name].join(', ') }))
      .join('; ');
  /** What most rules do not have is described where a rule has it. */
  const conditions = (rule: Rule): DescribedField[] => {
    const { orderedFrom, orderedUntil, linkedFrom, linkedUntil, products, orderLabels } = rule;
    const field = (key: string, name: string, value: string | null | undefined): DescribedField[] =>
      value ? [{ key, name, value }] : [];
    return [
      ...field(
        'ordered',
        t('program.ordered'),
        (orderedFrom ?? orderedUntil) && period(orderedFrom, orderedUntil),
      ),
      ...field('linked', t('program.linked'), (linkedFrom ?? linkedUntil) && period(linkedFrom, linkedUntil)),
      ...field('include', t('program.include'), products?.include && listed(products.include)),
      ...field('exclude', t('program.exclude'), products?.exclude && listed(products.exclude)),
      ...field('any', t('program.anyLabel'), orderLabels?.any.join(', ')),
      ...field('none', t('program.noLabel'), orderLabels?.none.join(', ')),
    ];
  };
  const ofRule = (rule: Rule): DescribedField[] => [
    { key: 'trigger', name: t('program.trigger'), value: t(`program.triggers.${rule.trigger}`) },
    { key: 'referee', name: t('program.referee'), value: benefit(rule.referee) },
    { key: 'referrer', name: t('program.referrer'), value: benefit(rule.referrer) },
    { key: 'minimum', name: t('program.minimum'), value: won(rule.minimumPaidAmount) },
    { key: 'window', name: t('program.window'), value: limit(rule.windowDays) },
    {
      key: 'hold',
      name: t('program.hold'),
      value: rule.holdDays === 0 ? t('program.noDelay') : number(rule.holdDays),
    },
    {
      key: 'earlierOrders',
      name: t('program.earlierOrders'),
      value: t(`program.earlierOrdersChoices.${rule.earlierOrders}`),
    },
    ...conditions(rule),
  ];
  return ({ rules, limits: { referrerCap, budget }, refunds }) => [
    ...rules.flatMap((rule) =>
      ofRule(rule).map(({ key, name, value }) => ({
        key: `${rule.id}.${key}`,
        name: rules.length > 1 ? t('program.ofRule', { rule: rule.name, field: name }) : name,
        value,
      })),
    ),
    { key: 'total', name: t('program.capTotal'), value: limit(referrerCap.total) },
    { key: 'month', name: t('program.capMonth'), value: limit(referrerCap.month) },
    { key: 'budget', name: t('program.budget'), value: limit(budget?.total ?? null) },
    { key: 'refunds', name: t('program.refunds'), value: t(`program.refundChoices.${refunds}`) },
  ];
}
