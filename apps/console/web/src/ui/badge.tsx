import type { ReactNode } from 'react';
import classes from './badge.module.css';

export type Tone = 'good' | 'bad' | 'warn' | 'info' | 'idle';

/** A short label, coloured by its tone, with a dot or an icon. */
export function Badge({ tone, icon, children }: { tone: Tone; icon?: ReactNode; children: ReactNode }) {
  return (
    <span className={`${classes['badge']} ${classes[tone]} ${icon ? classes['iconed'] : ''}`}>
      {icon}
      {children}
    </span>
  );
}
