import { useTranslation } from 'react-i18next';
import { useSession } from '../app/session-context.ts';
import { exactTime, relativeTime, shownTime } from './format-time.ts';
import { useNow } from './use-now.ts';

interface DateTimeProps {
  at: string;
  /** Shows the distance from now. */
  relative?: boolean;
  /** Shows seconds and the zone: where the order of events matters. */
  exact?: boolean;
}

/** A time in the merchant's time zone, as people write it. On hover, with seconds and the offset of the zone. */
export function DateTime({ at, relative = false, exact: isExact = false }: DateTimeProps) {
  const { timezone } = useSession().merchant;
  const { language } = useTranslation().i18n;
  const exact = exactTime(at, timezone);
  if (relative) return <RelativeTime at={at} exact={exact} />;
  return (
    <time dateTime={at} title={exact} style={{ whiteSpace: 'nowrap', fontVariantNumeric: 'tabular-nums' }}>
      {isExact ? exact : shownTime(at, { timezone, language, now: Date.now() })}
    </time>
  );
}

// `title` and no tooltip of Mantine: a list has up to 2,000 of them.
function RelativeTime({ at, exact }: { at: string; exact: string }) {
  const { language } = useTranslation().i18n;
  const distance = useNow((now) => relativeTime(at, now, language));
  return (
    <time dateTime={at} title={exact}>
      {distance}
      <span className="visually-hidden"> ({exact})</span>
    </time>
  );
}

/** The time of the next attempt or probe; "now" when it is due. */
export function NextTime({ at, relative = false }: { at: string; relative?: boolean }) {
  const { t } = useTranslation();
  // The clock of the server may be slightly ahead.
  const isDue = useNow((now) => Date.parse(at) <= now + 1_000);
  return isDue ? <span>{t('common.now')}</span> : <DateTime at={at} relative={relative} />;
}
