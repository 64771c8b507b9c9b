import { Link } from 'wouter';
import { CopyButton } from './copy-button.tsx';
import classes from './identifier.module.css';

interface IdentifierProps {
  value: string;
  /** Accessible name, such as "Order". */
  name: string;
  to?: string;
  /** Text to show in place of the value. */
  label?: string;
  /** Wraps a long value instead of cutting it off. */
  wrap?: boolean;
  /** Not in a monospaced font, as all ids of members: they are names and addresses, which people read. */
  plain?: boolean;
}

/** An id in a monospaced font, with a copy button on hover. */
export function Identifier({ value, name, to, label = value, wrap = false, plain = false }: IdentifierProps) {
  const className = `${classes['text']} ${wrap ? classes['wrap'] : ''} ${plain ? classes['plain'] : ''}`;
  return (
    <span className={classes['id']}>
      {to ? (
        <Link to={to} className={className} title={value}>
          {label}
        </Link>
      ) : (
        <span className={className} title={value}>
          {label}
        </span>
      )}
      <span className={classes['copy']}>
        <CopyButton value={value} name={name} />
      </span>
    </span>
  );
}
