import { reasonCodes, reasons } from '@rewardhook/rewards';
import { useTranslation } from 'react-i18next';
import type { ReasonBucket } from '../../api/types.ts';
import { Plot } from './plot.tsx';

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
export function ReasonsPlot({
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
