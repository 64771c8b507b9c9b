import { Button, Text } from '@mantine/core';
import type { ButtonProps } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { FormEvent, ReactNode } from 'react';
import { FormDialog } from './form-dialog.tsx';

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
  danger,
  run,
  ...others
}: ConfirmButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const action = useMutation({ mutationFn: run, onSuccess: () => setOpen(false) });
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    action.mutate();
  };
  const open = () => {
    action.reset();
    setOpen(true);
  };
  return (
    <>
      <Button variant="default" size="xs" {...others} onClick={open}>
        {label}
      </Button>
      {isOpen && (
        <FormDialog
          title={title}
          actionLabel={actionLabel}
          {...(danger && { danger })}
          submit={{ onSubmit, isPending: action.isPending, error: action.error }}
          onClose={() => setOpen(false)}
        >
          <Text>{text}</Text>
        </FormDialog>
      )}
    </>
  );
}
