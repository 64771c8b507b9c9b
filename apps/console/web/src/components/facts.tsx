import type { ReactNode } from 'react';
import classes from './facts.module.css';

/** Names and values, side by side as the width allows. A value of undefined is left out. */
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
