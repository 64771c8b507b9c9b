import type { ReactNode } from 'react';
import classes from './facts.module.css';

/** A list of names and values. A value of undefined is omitted. */
export function Facts({ facts }: { facts: [name: string, value: ReactNode][] }) {
  return (
    <dl className={classes['facts']}>
      {facts.map(([name, value]) =>
        value === undefined ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value ?? '–'}</dd>
          </div>
        ),
      )}
    </dl>
  );
}
