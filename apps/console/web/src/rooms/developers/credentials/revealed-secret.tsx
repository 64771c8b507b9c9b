import { Button, Group } from '@mantine/core';
import { IconEye, IconEyeOff } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useReveal } from '../../../data/credentials.ts';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { ErrorNotice } from '../../../ui/error-notice.tsx';

/** A secret that is loaded when it is revealed and discarded when it is hidden. */
export function RevealedSecret({
  secretOf,
  name,
}: {
  secretOf: Parameters<ReturnType<typeof useReveal>['mutate']>[0];
  name: string;
}) {
  const { t } = useTranslation();
  const reveal = useReveal();
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
