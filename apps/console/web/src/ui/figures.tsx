import type { ReactNode } from 'react';
import classes from './figures.module.css';

export interface Figure {
  name: string;
  value: ReactNode;
  note?: ReactNode;
}

/** Key figures in a row. */
export function Figures({ figures }: { figures: Figure[] }) {
  return (
    <dl className={classes['figures']}>
      {figures.map(({ name, value, note }) => (
        <div key={name} className={classes['figure']}>
          <dt className={classes['name']}>{name}</dt>
          <dd className={classes['value']}>{value}</dd>
          {note && (
            <dd className={classes['note']} style={{ margin: 0 }}>
              {note}
            </dd>
          )}
        </div>
      ))}
    </dl>
  );
}
