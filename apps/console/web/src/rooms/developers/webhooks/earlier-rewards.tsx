import { Alert } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useRead } from '../../../data/use-read.ts';
import { useSend } from '../../../data/use-send.ts';
import { ConfirmButton } from '../../../ui/confirm-button.tsx';
import { useFormat } from '../../../ui/use-format.ts';
import { notify } from '../../../ui/notifications.ts';

/** Offers to send the rewards that were confirmed while no webhook was registered. Nothing when there are none. */
export function EarlierRewards({ id }: { id: string }) {
  const { t } = useTranslation();
  const { number } = useFormat();
  const { data } = useRead('GET /webhooks/:id/earlier-rewards', { id });
  const send = useSend('POST /webhooks/:id/earlier-rewards', { id });
  if (!data || data.count === 0) return null;
  const title = data.complete ? 'webhooks.earlier.title' : 'webhooks.earlier.titleAtLeast';
  return (
    <Alert
      variant="default"
      role="status"
      icon={<IconInfoCircle aria-hidden color="var(--tone-warn)" />}
      title={t(title, { number: number(data.count) })}
    >
      <div style={{ marginBottom: 8 }}>{t('webhooks.earlier.text')}</div>
      <ConfirmButton
        label={t('webhooks.earlier.send')}
        title={t('webhooks.earlier.confirmTitle')}
        text={t('webhooks.earlier.confirmText')}
        actionLabel={t('webhooks.earlier.send')}
        run={() =>
          send
            .mutateAsync()
            .then(({ count }) => notify(t('webhooks.earlier.sent', { number: number(count) })))
        }
      />
    </Alert>
  );
}
