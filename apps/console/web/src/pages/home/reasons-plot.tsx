import type { ReasonCode } from '@rewardhook/rewards';
import { useTranslation } from 'react-i18next';
import type { ReasonBucket } from '../../api/types.ts';
import { Plot } from './plot.tsx';

/** Why orders earned nothing; what earned something is left out. */
const colors: Partial<Record<ReasonCode, string>> = {
  not_paid: 'gray.5',
  cancelled: 'red.4',
  returned: 'pink.5',
  below_minimum: 'orange.5',
  outside_window: 'yellow.6',
  not_first_order: 'blue.5',
  already_rewarded: 'cyan.6',
  member_not_linked: 'grape.5',
  referral_rejected: 'violet.6',
  referrer_cap_reached: 'lime.7',
  budget_exhausted: 'red.8',
  nothing_to_give: 'gray.7',
};

export function ReasonsPlot({ reasons, label }: { reasons: ReasonBucket[]; label: (at: string) => string }) {
  const { t } = useTranslation();
  const series = (Object.keys(colors) as ReasonCode[])
    .filter((reason) => reasons.some(({ counts }) => counts[reason]))
    .map((reason) => ({ name: reason, label: t(`reasons.${reason}`), color: colors[reason] as string }));
  return (
    <Plot
      title={t('home.plots.reasons')}
      lead={t('home.plots.reasonsLead')}
      rows={reasons.map(({ at, counts }) => ({
        at: label(at),
        ...Object.fromEntries(series.map(({ name }) => [name, counts[name] ?? 0])),
      }))}
      series={series}
    />
  );
}
