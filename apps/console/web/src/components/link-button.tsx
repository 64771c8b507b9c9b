import { Button } from '@mantine/core';
import type { ButtonProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';

/** A link to another page of the console that looks like a button. */
export function LinkButton({ to, children, ...others }: ButtonProps & { to: string; children: ReactNode }) {
  return (
    <Button component={Link} href={to} {...others}>
      {children}
    </Button>
  );
}
