import { Link } from 'wouter';
import { CopyButton } from './copy-button.tsx';
import classes from './identifier.module.css';

interface IdentifierProps {
  value: string;
  /** What it is of, for screen readers. */
  what: string;
  to?: string;
  /** Its telling part, where that is not the beginning. */
  shown?: string;
  /** Shows all of it over several lines instead of cutting it off. */
  whole?: boolean;
}

/** An id in fixed width, with a copy button on hover. */
export function Identifier({ value, what, to, shown = value, whole = false }: IdentifierProps) {
  const className = `${classes['text']} ${whole ? classes['whole'] : ''}`;
  return (
    <span className={classes['id']}>
      {to ? (
        <Link to={to} className={className} title={value}>
          {shown}
        </Link>
      ) : (
        <span className={className} title={value}>
          {shown}
        </span>
      )}
      <span className={classes['copy']}>
        <CopyButton value={value} what={what} />
      </span>
    </span>
  );
}
