import { Button } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useSendOneOf } from '../../../data/use-send.ts';
import type { WebhookView } from '../../../data/types.ts';
import { ConfirmButton } from '../../../ui/confirm-button.tsx';
import { notify, useNotifyFailure } from '../../../ui/notifications.ts';

/** Pauses, resumes or re-enables a webhook. */
export function PauseButton({ webhook }: { webhook: WebhookView }) {
  const { t } = useTranslation();
  const notifyFailure = useNotifyFailure();
  const change = useSendOneOf<`POST /webhooks/:id/${'pause' | 'resume' | 'enable'}`>();
  const input = { id: webhook.id };
  if (webhook.status === 'active' || webhook.status === 'failing')
    return (
      <ConfirmButton
        size="sm"
        leftSection={<IconPlayerPause size={16} aria-hidden />}
        label={t('webhooks.pause')}
        title={t('webhooks.pauseTitle')}
        text={t('webhooks.pauseText')}
        actionLabel={t('webhooks.pause')}
        run={() =>
          change
            .mutateAsync({ route: 'POST /webhooks/:id/pause', input })
            .then(() => notify(t('webhooks.paused')))
        }
      />
    );
  const action = webhook.status === 'paused' ? 'resume' : 'enable';
  return (
    <Button
      leftSection={<IconPlayerPlay size={16} aria-hidden />}
      loading={change.isPending}
      onClick={() =>
        change.mutate(
          { route: `POST /webhooks/:id/${action}`, input },
          { onSuccess: () => notify(t('webhooks.resumed')), onError: notifyFailure },
        )
      }
    >
      {t(`webhooks.${action}`)}
    </Button>
  );
}
