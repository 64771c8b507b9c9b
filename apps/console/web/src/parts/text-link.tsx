import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';

/** A link to another page of the console within text. */
export function TextLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Anchor component={Link} href={to} inherit>
      {children}
    </Anchor>
  );
}
