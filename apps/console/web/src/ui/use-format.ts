import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

/** Texts and numbers in the chosen language. The same object until the language changes. */
export function useFormat() {
  const { i18n, t } = useTranslation();
  const { language } = i18n;
  return useMemo(() => {
    const plain = new Intl.NumberFormat(language);
    const percent = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 });
    const decimals = (most: number) => new Intl.NumberFormat(language, { maximumFractionDigits: most });
    return {
      t,
      number: (value: number) => plain.format(value),
      /** An amount of won: `12,000원`, `KRW 12,000`. */
      won: (value: number) => t('common.won', { amount: plain.format(value) }),
      /** The amount of a reward: `3,000 points`, `2 THANKS`. */
      amount: (value: number, unit: string) =>
        unit === 'points'
          ? t('common.points', { amount: plain.format(value) })
          : `${plain.format(value)} ${unit}`,
      percent: (fraction: number) => percent.format(fraction),
      milliseconds: (ms: number) =>
        ms >= 1_000
          ? `${decimals(2).format(ms / 1_000)}\u00a0s`
          : `${decimals(ms < 10 ? 1 : 0).format(ms)}\u00a0ms`,
    };
  }, [language, t]);
}

/** What the cells of a list need to show texts and numbers. */
export type Format = ReturnType<typeof useFormat>;
