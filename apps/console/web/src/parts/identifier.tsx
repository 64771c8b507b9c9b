import { Link } from 'wouter';
import { CopyButton } from './copy-button.tsx';
import classes from './identifier.module.css';

interface IdentifierProps {
  value: string;
  /** What it is of, for screen readers. */
  what: string;
  to?: string;
  /** Shows all of it over several lines instead of cutting it off. */
  whole?: boolean;
}

/** An id in fixed width, with a copy button on hover. */
export function Identifier({ value, what, to, whole = false }: IdentifierProps) {
  const className = `${classes['text']} ${whole ? classes['whole'] : ''}`;
  return (
    <span className={classes['id']}>
      {to ? (
        <Link to={to} className={className} title={value}>
          {value}
        </Link>
      ) : (
        <span className={className} title={value}>
          {value}
        </span>
      )}
      <span className={classes['copy']}>
        <CopyButton value={value} what={what} />
      </span>
    </span>
  );
}
