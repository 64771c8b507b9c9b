import { Button, Group, Modal, Text } from '@mantine/core';
import type { ButtonProps } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorNotice } from './error-notice.tsx';

interface ConfirmButtonProps extends ButtonProps {
  label: string;
  title: string;
  text: ReactNode;
  /** Label of the confirming button: the action itself, never "OK". */
  actionLabel: string;
  danger?: boolean;
  run: () => Promise<unknown>;
}

/** A button that asks for confirmation in a dialog. */
export function ConfirmButton({
  label,
  title,
  text,
  actionLabel,
  danger = false,
  run,
  ...others
}: ConfirmButtonProps) {
  const { t } = useTranslation();
  const [opened, dialog] = useDisclosure(false);
  const [pending, setPending] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const confirm = async () => {
    setPending(true);
    setError(null);
    await run().then(dialog.close, (reason: Error) => setError(reason));
    setPending(false);
  };
  return (
    <>
      <Button variant="default" size="xs" {...others} onClick={dialog.open}>
        {label}
      </Button>
      <Modal
        opened={opened}
        onClose={dialog.close}
        title={title}
        closeButtonProps={{ 'aria-label': t('common.close') }}
      >
        <Text mb="md">{text}</Text>
        <ErrorNotice error={error} />
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={dialog.close}>
            {t('common.cancel')}
          </Button>
          <Button color={danger ? 'red.9' : undefined} loading={pending} onClick={() => void confirm()}>
            {actionLabel}
          </Button>
        </Group>
      </Modal>
    </>
  );
}
