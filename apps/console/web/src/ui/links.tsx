import { Button } from '@mantine/core';
import type { ButtonProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import classes from './links.module.css';

/** A link to another page of the console within text. */
export function TextLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Link to={to} className={classes['link']}>
      {children}
    </Link>
  );
}

/** A link to another page of the console that looks like a button. */
export function LinkButton({ to, children, ...others }: ButtonProps & { to: string; children: ReactNode }) {
  return (
    <Button component={Link} href={to} {...others}>
      {children}
    </Button>
  );
}
