import type { ReactNode } from 'react';
import { Link } from 'wouter';
import classes from './text-link.module.css';

/** A link to another page of the console within text. */
export function TextLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Link to={to} className={classes['link']}>
      {children}
    </Link>
  );
}
