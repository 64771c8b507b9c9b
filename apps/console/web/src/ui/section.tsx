import { useId } from 'react';
import type { ReactNode } from 'react';
import classes from './section.module.css';

interface SectionProps {
  title?: string;
  lead?: ReactNode;
  actions?: ReactNode;
  /** Without padding around the body, for lists. */
  flush?: boolean;
  children: ReactNode;
}

/** A panel of a page. */
export function Section({ title, lead, actions, flush = false, children }: SectionProps) {
  const id = useId();
  return (
    <section
      className={`${classes['section']} ${title ? '' : classes['bare']}`}
      aria-labelledby={title ? id : undefined}
    >
      {title && (
        <div className={classes['head']}>
          <div>
            <h2 id={id} className={classes['title']}>
              {title}
            </h2>
            {lead && <p className={classes['lead']}>{lead}</p>}
          </div>
          {actions}
        </div>
      )}
      <div className={flush ? classes['flush'] : classes['body']}>{children}</div>
    </section>
  );
}
