import { useTranslation } from 'react-i18next';
import type { HomeFigures } from '../../api/types.ts';
import { Figures } from '../../components/figures.tsx';
import { useFormat } from '../../formatting/use-format.ts';

/** The totals of the range. */
export function HomeFiguresRow({ totals }: { totals: HomeFigures }) {
  const { t } = useTranslation();
  const { number, percent, milliseconds } = useFormat();
  const ms = (value: number | null) => (value === null ? '–' : milliseconds(value));
  return (
    <Figures
      figures={[
        { name: t('home.orders'), value: number(totals.orders) },
        { name: t('home.rewardsConfirmed'), value: number(totals.rewards_confirmed) },
        { name: t('home.rewardsRevoked'), value: number(totals.rewards_revoked) },
        { name: t('home.deliveries'), value: number(totals.deliveries) },
        {
          name: t('home.success'),
          value: totals.deliveries ? percent(totals.deliveries_succeeded / totals.deliveries) : '–',
        },
        { name: t('home.p50'), value: ms(totals.p50_ms) },
        { name: t('home.p95'), value: ms(totals.p95_ms) },
      ]}
    />
  );
}
