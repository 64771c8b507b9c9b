import type { ReactNode } from 'react';
import { TextLink } from './links.tsx';
import classes from './figures.module.css';

export interface Figure {
  name: string;
  value: ReactNode;
  note?: ReactNode;
  /** The rows that it counts. */
  to?: string;
}

/** Key figures in a row. */
export function Figures({ figures }: { figures: Figure[] }) {
  return (
    <dl className={classes['figures']}>
      {figures.map(({ name, value, note, to }, index) => (
        <div key={index} className={classes['figure']}>
          <dt className={classes['name']}>{to === undefined ? name : <TextLink to={to}>{name}</TextLink>}</dt>
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
