import { Tooltip } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useSession } from '../app/session-context.ts';
import { exactTime, relativeTime } from '../formatting/format-time.ts';
import { useNow } from '../hooks/use-now.ts';

/** A moment in the merchant's time zone with its offset; `relative` shows how long ago, and the exact time on hover. */
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
      <time dateTime={at} style={{ whiteSpace: 'nowrap' }}>
        {relativeTime(at, now, i18n.language)}
        <span className="visually-hidden"> ({exact})</span>
      </time>
    </Tooltip>
  );
}
