import { Skeleton } from '@mantine/core';
import classes from './plots.module.css';

/** Stands for the plots until their library is here. */
export function PlotsSkeleton() {
  return (
    <div className={classes['plots']} aria-hidden>
      {[0, 1, 2, 3].map((plot) => (
        <Skeleton key={plot} height={302} radius="lg" />
      ))}
    </div>
  );
}
