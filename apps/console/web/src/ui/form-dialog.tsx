import { Button, Group, Modal, Stack } from '@mantine/core';
import { useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorNotice } from './error-notice.tsx';
import type { Submit } from './use-change-form.ts';

interface FormDialogProps {
  title: string;
  size?: 'lg';
  submit: Submit;
  /** The label of the button that sends the form: the action itself, never "OK". */
  actionLabel: string;
  danger?: boolean;
  disabled?: boolean;
  /** Whether it has input: then a click beside it does not close it. */
  isUnsaved?: boolean;
  /** Shown in place of the form once it was sent, such as a secret. It closes with this button only. */
  result?: { content: ReactNode; closeLabel: string } | undefined;
  onClose: () => void;
  children?: ReactNode;
}

/** A dialog with a form. It is mounted while it is open. */
export function FormDialog(props: FormDialogProps) {
  const {
    title,
    size,
    submit,
    actionLabel,
    danger,
    disabled,
    isUnsaved = false,
    result,
    onClose,
    children,
  } = props;
  const { t } = useTranslation();
  // A change that is under way is seen to its end: opened again, the dialog would send it as another one.
  const mayClose = !result && !submit.isPending;
  const [opener] = useState(() => document.activeElement);
  // Mantine returns the focus from dialogs that stay mounted.
  useEffect(
    () => () => {
      if (opener instanceof HTMLElement) setTimeout(() => opener.focus({ preventScroll: true }));
    },
    [opener],
  );
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      {...(size && { size })}
      closeOnClickOutside={mayClose && !isUnsaved}
      closeOnEscape={mayClose && !isUnsaved}
      withCloseButton={mayClose}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      {result ? (
        <Stack gap="md">
          {result.content}
          <Button onClick={onClose}>{result.closeLabel}</Button>
        </Stack>
      ) : (
        <form
          noValidate
          onSubmit={(event) => {
            // A dialog can be within the form of its page.
            event.stopPropagation();
            submit.onSubmit(event);
          }}
        >
          <Stack gap="md">
            <ErrorNotice error={submit.error} />
            {children}
            <Group justify="flex-end">
              <Button variant="default" onClick={onClose} disabled={submit.isPending}>
                {t('common.cancel')}
              </Button>
              <Button
                type="submit"
                color={danger ? 'red.9' : undefined}
                disabled={disabled ?? false}
                loading={submit.isPending}
              >
                {actionLabel}
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  );
}
