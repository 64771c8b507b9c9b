import { useTranslation } from 'react-i18next';
import type { SimulationView } from '../../data/types.ts';
import { useFormat } from '../../ui/use-format.ts';

/** What the draft costs more or less than the current rewards, by unit: "+424,000 points, 12 % more". */
export function SimulationTotal({ result: { current, difference } }: { result: SimulationView }) {
  const { t } = useTranslation();
  const { amount, percent } = useFormat();
  const units = Object.entries(difference.amounts);
  if (units.every(([, value]) => value === 0)) return t('program.sameCost');
  return units
    .filter(([, value]) => value !== 0)
    .map(([unit, value]) => {
      const change = `${value > 0 ? '+' : ''}${amount(value, unit)}`;
      const before = current.amounts[unit] ?? 0;
      if (before === 0) return change;
      const share = percent(Math.abs(value) / before);
      return t(value > 0 ? 'program.more' : 'program.less', { change, percent: share });
    })
    .map((text) => <div key={text}>{text}</div>);
}
