import type { ReactNode } from 'react';
import classes from './badge.module.css';

export type Tone = 'good' | 'bad' | 'warn' | 'info' | 'idle';

/** A short label, coloured by its tone. */
export function Badge({ tone, children }: { tone: Tone; children: ReactNode }) {
  return <span className={`${classes['badge']} ${classes[tone]}`}>{children}</span>;
}
