import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { CostRow, FiguresRow, HomeView } from '../../data/types.ts';
import { Before } from '../../ui/before.tsx';
import { Figures } from '../../ui/figures.tsx';
import { useFormat } from '../../ui/use-format.ts';

/** What referrals have brought and cost in the days of Home, each figure beside that of the days before. */
export function HomeFigures({ view: { range, days, figures, figures_before: before } }: { view: HomeView }) {
  const { t } = useTranslation();
  const { number, won, amount } = useFormat();
  // The days of a list end with the last one.
  const last = new Date(Date.parse(days.until) - 86_400_000).toISOString().slice(0, 10);
  const inDays = `from=${days.from}&to=${last}`;
  /** By unit, as they are not converted. */
  const cost = ({ cost: rows }: FiguresRow, amountOf: (row: CostRow) => number | null) =>
    rows.flatMap((row) => {
      const value = amountOf(row);
      return value === null ? [] : [amount(value, row.unit)];
    });
  const costFigure = (name: string, none: string, amountOf: (row: CostRow) => number | null) => ({
    name,
    to: `/performance?${inDays}`,
    value: lines(cost(figures, amountOf), none),
    note: t('common.before', { value: cost(before, amountOf).join(', ') || none }),
  });
  const figure = (
    name: string,
    to: string,
    of: (row: FiguresRow) => number,
    show: (value: number) => string,
  ) => ({
    name,
    to,
    value: show(of(figures)),
    note: <Before now={of(figures)} before={of(before)} show={show} />,
  });
  return (
    <section aria-label={t(`home.figuresOf.${range}`)}>
      <Figures
        figures={[
          figure(
            t('home.newReferrals'),
            `/referrals?counted=true&${inDays}`,
            (row) => row.new_referrals,
            number,
          ),
          figure(
            t('home.firstOrders'),
            `/orders?referred=first&${inDays}`,
            (row) => row.first_orders,
            number,
          ),
          figure(t('home.revenue'), `/orders?referred=all&${inDays}`, (row) => row.referred_revenue, won),
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
