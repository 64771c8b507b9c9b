import { Button, Group } from '@mantine/core';
import { IconEye, IconEyeOff } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useSendOneOf } from '../../../data/use-send.ts';
import type { CallOf } from '../../../data/use-send.ts';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { ErrorNotice } from '../../../ui/error-notice.tsx';

type RevealRoute = 'POST /credentials/signing-keys/:id/reveal' | 'POST /credentials/identity-secret/reveal';

/** A secret that is loaded when it is revealed and discarded when it is hidden. */
export function RevealedSecret({ secretOf, name }: { secretOf: CallOf<RevealRoute>; name: string }) {
  const { t } = useTranslation();
  // The answer is not kept.
  const reveal = useSendOneOf<RevealRoute>({ gcTime: 0 });
  const secret = reveal.data?.secret;
  if (reveal.error) return <ErrorNotice error={reveal.error} retry={() => reveal.mutate(secretOf)} />;
  return (
    <Group gap={6} wrap="nowrap" aria-live="polite">
      {secret ? (
        <>
          <code style={{ minWidth: 0, overflowWrap: 'anywhere', whiteSpace: 'normal' }}>{secret}</code>
          <CopyButton value={secret} name={name} />
          <Button
            size="compact-xs"
            variant="default"
            flex="none"
            leftSection={<IconEyeOff size={14} aria-hidden />}
            onClick={reveal.reset}
          >
            {t('credentials.hide')}
          </Button>
        </>
      ) : (
        <Button
          size="compact-xs"
          variant="default"
          leftSection={<IconEye size={14} aria-hidden />}
          loading={reveal.isPending}
          onClick={() => reveal.mutate(secretOf)}
        >
          {t('credentials.reveal')}
        </Button>
      )}
    </Group>
  );
}
