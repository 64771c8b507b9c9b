import { useTranslation } from 'react-i18next';
import { Badge } from '../../components/badge.tsx';

/** What looked odd when a referral was linked. */
export function FlagBadges({ flags }: { flags: string[] }) {
  const { t } = useTranslation();
  if (flags.length === 0) return '–';
  return (
    <span style={{ display: 'inline-flex', flexWrap: 'wrap', gap: 4 }}>
      {flags.map((flag) => (
        <Badge key={flag} tone="warn">
          {t(`referrals.flagNames.${flag as 'code_velocity'}`, { defaultValue: flag })}
        </Badge>
      ))}
    </span>
  );
}
