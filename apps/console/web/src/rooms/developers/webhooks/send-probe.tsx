import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useSend } from '../../../data/use-send.ts';
import type { WebhookView } from '../../../data/types.ts';
import { useRight } from '../../../app/session-context.ts';
import { notify, useNotifyFailure } from '../../../ui/notifications.ts';

/** Sends the oldest delivery that waits for a webhook that fails or recovers. */
export function SendProbe({
  webhook: { id, breaker, half_open: halfOpen, waiting },
}: {
  webhook: WebhookView;
}) {
  const { t } = useTranslation();
  const canEdit = useRight('integrate');
  const notifyFailure = useNotifyFailure();
  const probe = useSend('POST /webhooks/:id/probe', { id });
  if (!canEdit || waiting === 0 || !(breaker ?? halfOpen)) return null;
  return (
    <Button
      size="xs"
      variant="default"
      loading={probe.isPending}
      onClick={() =>
        probe.mutate(undefined, {
          onSuccess: () => notify(t('webhooks.probeSent')),
          onError: notifyFailure,
        })
      }
    >
      {t('webhooks.sendProbe')}
    </Button>
  );
}
