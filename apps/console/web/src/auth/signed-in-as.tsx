import { Button, Group, Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useSignOut } from '../api/session.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { LinkButton } from '../components/link-button.tsx';

/** Says who is signed in, where a link is meant for another e-mail: that one goes on after a sign-out. */
export function SignedInAs({ email, of }: { email: string; of: string }) {
  const { t } = useTranslation();
  const signOut = useSignOut();
  return (
    <Stack gap="md">
      <p style={{ margin: 0, overflowWrap: 'anywhere' }}>{t('signedInAs.text', { email, of })}</p>
      <ErrorNotice error={signOut.error} />
      <Group>
        <Button loading={signOut.isPending} onClick={() => signOut.mutate()}>
          {t('signedInAs.act')}
        </Button>
        <LinkButton to="/" variant="default">
          {t('firstKeys.goOn')}
        </LinkButton>
      </Group>
    </Stack>
  );
}
