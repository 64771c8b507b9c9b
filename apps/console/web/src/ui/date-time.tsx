import { Tooltip } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useSession } from '../app/session-context.ts';
import { exactTime, relativeTime } from './format-time.ts';
import { useNow } from './use-now.ts';

/** A time in the merchant's time zone, with its offset. `relative` shows the distance from now, and the time on hover. */
export function DateTime({ at, relative = false }: { at: string; relative?: boolean }) {
  const { i18n } = useTranslation();
  const { timezone } = useSession().merchant;
  const now = useNow(relative);
  const exact = exactTime(at, timezone);
  if (!relative)
    return (
      <time dateTime={at} style={{ whiteSpace: 'nowrap', fontVariantNumeric: 'tabular-nums' }}>
        {exact}
      </time>
    );
  return (
    <Tooltip label={exact} withArrow>
      <time dateTime={at}>
        {relativeTime(at, now, i18n.language)}
        <span className="visually-hidden"> ({exact})</span>
      </time>
    </Tooltip>
  );
}

/** The time of the next attempt or probe; "now" when it is due. */
export function NextTime({ at, relative = false }: { at: string; relative?: boolean }) {
  const { t } = useTranslation();
  // The clock of the server may be slightly ahead.
  const isDue = Date.parse(at) <= useNow() + 1_000;
  return isDue ? <span>{t('common.now')}</span> : <DateTime at={at} relative={relative} />;
}
