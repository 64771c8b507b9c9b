import { useTranslation } from 'react-i18next';
import type { PerformanceView } from '../../../data/types.ts';
import { useFormat } from '../../../ui/use-format.ts';
import { LineChart } from './line-chart.tsx';
import classes from './performance.module.css';

/** The figures of each day. */
export function Charts({ days }: { days: PerformanceView['days'] }) {
  const { t } = useTranslation();
  const { number, won } = useFormat();
  return (
    <div className={classes['charts']}>
      <LineChart
        title={t('performance.charts.referrals')}
        days={days.map(({ day }) => day)}
        series={[
          { label: t('performance.newReferrals'), values: days.map((row) => row.new_referrals) },
          { label: t('performance.firstOrders'), values: days.map((row) => row.first_orders) },
        ]}
        show={number}
      />
      <LineChart
        title={t('performance.charts.revenue')}
        days={days.map(({ day }) => day)}
        series={[{ label: t('performance.revenue'), values: days.map((row) => row.referred_revenue) }]}
        show={won}
      />
    </div>
  );
}
