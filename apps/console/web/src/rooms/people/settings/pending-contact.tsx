import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useSend } from '../../../data/use-send.ts';
import { ErrorNotice } from '../../../ui/error-notice.tsx';
import { notify } from '../../../ui/notifications.ts';

/** A contact email that is not confirmed yet, and where notices are sent until then. */
export function PendingContact({ pending, current }: { pending: string; current: string | null }) {
  const { t } = useTranslation();
  const resend = useSend('POST /merchant/contact-confirmation');
  return (
    <div role="status" style={{ display: 'grid', gap: 8, overflowWrap: 'anywhere' }}>
      <span>
        {t('settings.contactPending', { pending })}{' '}
        {current === null ? t('settings.contactNone') : t('settings.contactUntilThen', { current })}
      </span>
      <ErrorNotice error={resend.error} />
      <Button
        variant="default"
        size="xs"
        w="fit-content"
        loading={resend.isPending}
        onClick={() =>
          resend.mutate(undefined, { onSuccess: () => notify(t('settings.contactMailed', { pending })) })
        }
      >
        {t('settings.contactResend')}
      </Button>
    </div>
  );
}
