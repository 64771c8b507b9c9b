import { useTranslation } from 'react-i18next';
import type { CostRow, FiguresRow } from '../../../data/types.ts';
import { Before } from '../../../ui/before.tsx';
import { Figures } from '../../../ui/figures.tsx';
import type { Figure } from '../../../ui/figures.tsx';
import { useFormat } from '../../../ui/use-format.ts';

/** From clicks to rewards, and what the orders brought and the rewards cost; each with the value of the period before. */
export function ComparedFigures({ figures, before }: { figures: FiguresRow; before: FiguresRow }) {
  const { t } = useTranslation();
  const { number, won, amount, percent } = useFormat();
  const compared = (
    name: string,
    [now, valueBefore]: [number, number],
    show: (value: number) => string,
    about?: string,
  ): Figure => ({
    name,
    value: show(now),
    note: (
      <>
        {about && <div>{about}</div>}
        <div>
          <Before now={now} before={valueBefore} show={show} />
        </div>
      </>
    ),
  });
  const both = (of: (row: FiguresRow) => number): [number, number] => [of(figures), of(before)];
  const rate = (part: number, all: number, text: 'ofClicks' | 'ofReferrals') =>
    all > 0 ? t(`performance.${text}`, { rate: percent(part / all) }) : undefined;
  const sameUnit = (rows: CostRow[], { type, unit }: CostRow) =>
    rows.find((row) => row.type === type && row.unit === unit);
  const units = [
    ...figures.cost,
    ...before.cost
      .filter((row) => !sameUnit(figures.cost, row))
      .map((row) => ({ ...row, amount: 0, each_first_order: null })),
  ];
  const costs = units.map((row) =>
    compared(
      t('performance.cost', { unit: row.unit === 'points' ? t('program.types.points') : row.unit }),
      [row.amount, sameUnit(before.cost, row)?.amount ?? 0],
      (value) => amount(value, row.unit),
      row.each_first_order === null
        ? undefined
        : t('performance.eachFirstOrder', { amount: amount(row.each_first_order, row.unit) }),
    ),
  );
  return (
    <>
      <Figures
        figures={[
          compared(
            t('performance.clicks'),
            both((row) => row.clicks),
            number,
          ),
          compared(
            t('performance.newReferrals'),
            both((row) => row.new_referrals),
            number,
            rate(figures.new_referrals, figures.clicks, 'ofClicks'),
          ),
          compared(
            t('performance.firstOrders'),
            both((row) => row.first_orders),
            number,
            rate(figures.first_orders, figures.new_referrals, 'ofReferrals'),
          ),
          compared(
            t('performance.rewards'),
            both((row) => row.rewards),
            number,
          ),
        ]}
      />
      <Figures
        figures={[
          compared(
            t('performance.revenue'),
            both((row) => row.referred_revenue),
            won,
          ),
          ...(costs.length > 0 ? costs : [{ name: t('performance.noCost'), value: '–' }]),
        ]}
      />
    </>
  );
}
