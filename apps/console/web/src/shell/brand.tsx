import classes from './brand.module.css';

/** The logo of Rewardhook beside a name. */
export function Brand({ name }: { name: string }) {
  return (
    <span className={classes['brand']}>
      <img className={classes['mark']} src="/favicon.svg" alt="" />
      <span className={classes['name']}>{name}</span>
    </span>
  );
}
