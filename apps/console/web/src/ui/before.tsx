import { useFormat } from './use-format.ts';

interface BeforeProps {
  now: number;
  before: number;
  show: (value: number) => string;
}

/** The value of the period before, with the change since in percent when there is something to compare with. */
export function Before({ now, before, show }: BeforeProps) {
  const { t, percent } = useFormat();
  const change = before > 0 && ` (${now > before ? '+' : ''}${percent((now - before) / before)})`;
  return (
    <>
      {t('common.before', { value: show(before) })}
      {change}
    </>
  );
}
