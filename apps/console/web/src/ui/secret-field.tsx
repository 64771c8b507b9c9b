import { CopyButton } from './copy-button.tsx';
import classes from './secret-field.module.css';

/** A key or another value to copy. */
export function SecretField({ label, value, hint }: { label: string; value: string; hint?: string }) {
  return (
    <div>
      <p className={classes['name']}>{label}</p>
      <div className={classes['box']}>
        <span className={classes['value']}>{value}</span>
        <CopyButton value={value} name={label} size="md" />
      </div>
      {hint && <p className={classes['hint']}>{hint}</p>}
    </div>
  );
}
