import { Button, Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useRead } from '../../data/use-read.ts';
import { useSend } from '../../data/use-send.ts';
import type { PendingContactConfirmation } from '../../data/types.ts';
import { usePathId } from '../../app/paths.ts';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { AuthLinkLayout } from './auth-link-layout.tsx';

/** Confirms a contact email, to which notices of a merchant are then sent. Needs no account. */
export function ContactConfirmation() {
  const { t } = useTranslation();
  const token = usePathId();
  const confirmation = useRead('GET /contact-confirmations/:token', { token });
  return (
    <AuthLinkLayout
      anyUser
      title={t('contactConfirmation.title')}
      query={confirmation}
      expired={{ title: t('contactConfirmation.expired'), text: t('contactConfirmation.expiredText') }}
    >
      {(found) => <Confirm token={token} found={found} />}
    </AuthLinkLayout>
  );
}

function Confirm({ token, found }: { token: string; found: PendingContactConfirmation }) {
  const { t } = useTranslation();
  const confirm = useSend('POST /contact-confirmations/:token', { token });
  const { email, merchant } = found;
  if (confirm.isSuccess)
    return (
      <p role="status" style={{ margin: 0, overflowWrap: 'anywhere' }}>
        {t('contactConfirmation.done', { email })}
      </p>
    );
  return (
    <Stack gap="md">
      <p style={{ margin: 0, overflowWrap: 'anywhere' }}>
        {t('contactConfirmation.text', { email, merchant: merchant.name })}
      </p>
      <ErrorNotice error={confirm.error} />
      <Button loading={confirm.isPending} onClick={() => confirm.mutate()}>
        {t('contactConfirmation.action')}
      </Button>
    </Stack>
  );
}
