import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { CostRow, FiguresRow, HomeView } from '../../data/types.ts';
import { Figures } from '../../ui/figures.tsx';
import { useFormat } from '../../ui/use-format.ts';

/** What referrals have brought and cost in the days of Home, each figure beside that of the days before. */
export function HomeFigures({ view: { range, figures, figures_before: before } }: { view: HomeView }) {
  const { t } = useTranslation();
  const { number, won, amount } = useFormat();
  const change = useChange();
  /** By unit, as they are not converted. */
  const cost = ({ cost: rows }: FiguresRow, amountOf: (row: CostRow) => number | null) =>
    rows.flatMap((row) => {
      const value = amountOf(row);
      return value === null ? [] : [amount(value, row.unit)];
    });
  const costFigure = (name: string, none: string, amountOf: (row: CostRow) => number | null) => ({
    name,
    value: lines(cost(figures, amountOf), none),
    note: t('home.before', { value: cost(before, amountOf).join(', ') || none }),
  });
  const figure = (name: string, of: (row: FiguresRow) => number, show: (value: number) => string) => ({
    name,
    value: show(of(figures)),
    note: (
      <>
        {t('home.before', { value: show(of(before)) })}
        {change(of(figures), of(before))}
      </>
    ),
  });
  return (
    <section aria-label={t(`home.figuresOf.${range}`)}>
      <Figures
        figures={[
          figure(t('home.newReferrals'), (row) => row.new_referrals, number),
          figure(t('home.firstOrders'), (row) => row.first_orders, number),
          figure(t('home.revenue'), (row) => row.referred_revenue, won),
          costFigure(t('home.cost'), '0', (row) => row.amount),
          costFigure(t('home.costEach'), '–', (row) => row.each_first_order),
        ]}
      />
    </section>
  );
}

function lines(texts: string[], none: string): ReactNode {
  return texts.length === 0 ? none : texts.map((text) => <div key={text}>{text}</div>);
}

/** Returns a function that shows a change in percent, with its sign. Nothing when there is nothing to compare with. */
function useChange(): (now: number, before: number) => string {
  const { percent } = useFormat();
  return (now, before) => {
    if (before <= 0) return '';
    const change = percent((now - before) / before);
    return ` · ${now > before ? '+' : ''}${change}`;
  };
}
