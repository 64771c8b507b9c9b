import { useTranslation } from 'react-i18next';

/** Formats numbers in the chosen language. */
export function useFormat() {
  const { i18n, t } = useTranslation();
  const plain = new Intl.NumberFormat(i18n.language);
  return {
    number: (value: number) => plain.format(value),
    /** An amount of won: `12,000원`, `KRW 12,000`. */
    won: (value: number) => t('common.won', { amount: plain.format(value) }),
    /** The amount of a reward: `3,000 points`, `2 THANKS`. */
    amount: (value: number, unit: string) =>
      unit === 'points'
        ? t('common.points', { amount: plain.format(value) })
        : `${plain.format(value)} ${unit}`,
    percent: (fraction: number) =>
      new Intl.NumberFormat(i18n.language, { style: 'percent', maximumFractionDigits: 1 }).format(fraction),
    milliseconds: (ms: number) =>
      ms >= 1_000
        ? `${new Intl.NumberFormat(i18n.language, { maximumFractionDigits: 2 }).format(ms / 1_000)}\u00a0s`
        : `${new Intl.NumberFormat(i18n.language, { maximumFractionDigits: ms < 10 ? 1 : 0 }).format(ms)}\u00a0ms`,
  };
}
