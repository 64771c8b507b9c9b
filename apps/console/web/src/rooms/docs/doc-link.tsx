import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import classes from '../../ui/links.module.css';

/** A link of a document: to a heading of this page, to another page, or to another site. */
export function DocLink({
  to,
  className = classes['link'],
  onClick,
  children,
}: {
  to: string;
  className?: string | undefined;
  onClick?: () => void;
  children: ReactNode;
}) {
  const [location] = useLocation();
  const [path, anchor] = to.split('#');
  if (!to.startsWith('/'))
    return (
      <a href={to} className={className} target="_blank" rel="noreferrer">
        {children}
      </a>
    );
  // The browser scrolls within a page.
  if (path === location && anchor !== undefined)
    return (
      <a href={`#${anchor}`} className={className} onClick={onClick}>
        {children}
      </a>
    );
  return (
    <Link to={to} className={className} onClick={onClick}>
      {children}
    </Link>
  );
}
