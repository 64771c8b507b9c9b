import { Button, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { ErrorNotice } from './error-notice.tsx';
import type { Submit } from './use-change-form.ts';

interface FormProps {
  submit: Submit;
  /** Label of the button that sends the form. Without it, the form cannot be sent. */
  actionLabel: string | undefined;
  /** The email of the account, for password managers. */
  username?: string | undefined;
  maxWidth?: number;
  children: ReactNode;
}

/** A form of a page: its error, its fields, and the button that sends it. */
export function Form({ submit, actionLabel, username, maxWidth, children }: FormProps) {
  return (
    <form onSubmit={submit.onSubmit} noValidate>
      <Stack gap="md" maw={maxWidth}>
        <ErrorNotice error={submit.error} />
        {username !== undefined && <input type="hidden" autoComplete="username" value={username} readOnly />}
        {children}
        {actionLabel !== undefined && (
          <Button
            type="submit"
            loading={submit.isPending}
            {...(maxWidth === undefined ? { mt: 4 } : { w: 'fit-content' })}
          >
            {actionLabel}
          </Button>
        )}
      </Stack>
    </form>
  );
}
