import { reasonCodes, reasons } from '@rewardhook/rewards';
import '@mantine/charts/styles.css';
import { useTranslation } from 'react-i18next';
import type { HomeView, ReasonBucket } from '../../data/types.ts';
import { shortTime } from '../../ui/format-time.ts';
import { useFormat } from '../../ui/use-format.ts';
import { Plot } from './plot.tsx';
import classes from './plots.module.css';

/** The figures of the time range as plots. */
export function Plots({ view }: { view: HomeView }) {
  const { t } = useTranslation();
  const { milliseconds, percent } = useFormat();
  const label = (at: string) => shortTime(at, view.timezone, view.range !== 'month');
  const rows = view.buckets.map((bucket) => ({
    at: label(bucket.at),
    orders: bucket.orders,
    confirmed: bucket.rewards_confirmed,
    revoked: bucket.rewards_revoked,
    succeeded: bucket.deliveries_succeeded,
    failed: bucket.deliveries - bucket.deliveries_succeeded,
    p50: bucket.p50_ms,
    p95: bucket.p95_ms,
  }));
  const { deliveries, deliveries_succeeded: succeeded } = view.totals;
  return (
    <div className={classes['plots']}>
      <Plot
        title={t('home.plots.orders')}
        rows={rows}
        series={[{ name: 'orders', label: t('home.orders'), color: 'indigo.6' }]}
      />
      <Plot
        title={t('home.plots.rewards')}
        rows={rows}
        series={[
          { name: 'confirmed', label: t('states.confirmed'), color: 'teal.6' },
          { name: 'revoked', label: t('states.revoked'), color: 'red.6' },
        ]}
      />
      <Plot
        title={t('home.plots.deliveries')}
        lead={deliveries ? t('home.plots.successRate', { rate: percent(succeeded / deliveries) }) : undefined}
        rows={rows}
        series={[
          { name: 'succeeded', label: t('states.delivered'), color: 'teal.6' },
          { name: 'failed', label: t('home.plots.notDelivered'), color: 'orange.6' },
        ]}
      />
      <Plot
        line
        title={t('home.plots.latency')}
        rows={rows}
        format={milliseconds}
        series={[
          { name: 'p50', label: 'p50', color: 'indigo.4' },
          { name: 'p95', label: 'p95', color: 'indigo.7' },
        ]}
      />
      <ReasonsPlot reasons={view.reasons} label={label} />
    </div>
  );
}

/** Reasons without a reward, in the order of the catalogue, with their colours. */
const noRewardReasons = reasonCodes.filter((code) => reasons[code].result === 'no_reward');
const palette = [
  'gray.5',
  'red.4',
  'pink.5',
  'orange.5',
  'yellow.6',
  'blue.5',
  'cyan.6',
  'grape.5',
  'violet.6',
  'lime.7',
  'red.8',
  'gray.7',
];

/** A chart of the orders without a reward, by reason. */
function ReasonsPlot({
  reasons: buckets,
  label,
}: {
  reasons: ReasonBucket[];
  label: (at: string) => string;
}) {
  const { t } = useTranslation();
  const series = noRewardReasons
    .map((code, index) => ({
      name: code,
      label: t(`reasons.${code}`),
      color: palette[index % palette.length] as string,
    }))
    .filter(({ name }) => buckets.some(({ counts }) => counts[name]));
  return (
    <Plot
      title={t('home.plots.reasons')}
      lead={t('home.plots.reasonsLead')}
      rows={buckets.map(({ at, counts }) => ({
        at: label(at),
        ...Object.fromEntries(series.map(({ name }) => [name, counts[name] ?? 0])),
      }))}
      series={series}
    />
  );
}
