import { useTranslation } from 'react-i18next';
import type { AttemptView } from '../data/types.ts';
import { Badge } from './badge.tsx';

/** The outcome of an attempt: the HTTP status, or the error class without one. */
export function AttemptBadge({ attempt }: { attempt: AttemptView }) {
  const { t } = useTranslation();
  const { status, error_class: error } = attempt;
  if (error || status === null)
    return (
      <Badge tone="bad">
        {t(`attemptErrors.${(error ?? 'aborted') as 'dns'}`, { defaultValue: error ?? '' })}
      </Badge>
    );
  return <Badge tone={status >= 200 && status < 300 ? 'good' : 'bad'}>{`HTTP ${status}`}</Badge>;
}
