import { Button, Group, Modal, Stack } from '@mantine/core';
import type { FormEventHandler, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorNotice } from './error-notice.tsx';

interface FormDialogProps {
  title: string;
  children: ReactNode;
  /** The label of the button that sends the form: the action itself, never "OK". */
  actionLabel: string;
  danger?: boolean;
  pending: boolean;
  error: Error | null;
  onSubmit: FormEventHandler<HTMLFormElement>;
  onClose: () => void;
}

/** A dialog with a form. It is mounted while it is open. */
export function FormDialog({
  title,
  children,
  actionLabel,
  danger = false,
  pending,
  error,
  onSubmit,
  onClose,
}: FormDialogProps) {
  const { t } = useTranslation();
  return (
    <Modal opened onClose={onClose} title={title} closeButtonProps={{ 'aria-label': t('common.close') }}>
      <form onSubmit={onSubmit} noValidate>
        <Stack gap="md">
          <ErrorNotice error={error} />
          {children}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('common.cancel')}
            </Button>
            <Button type="submit" color={danger ? 'red.9' : undefined} loading={pending}>
              {actionLabel}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
