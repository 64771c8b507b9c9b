import { IconInbox } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import classes from './empty-state.module.css';
import { LinkButton } from './links.tsx';

export interface EmptyStateProps {
  title: string;
  /** What to do next. */
  text?: ReactNode;
  /** The page where that is done. */
  next?: { to: string; label: string };
  action?: ReactNode;
  icon?: ReactNode;
}

/** Shown in place of an empty list: what is missing, and the next step. */
export function EmptyState({ title, text, next, action, icon }: EmptyStateProps) {
  return (
    <div className={classes['empty']}>
      <span className={classes['icon']} aria-hidden>
        {icon ?? <IconInbox size={22} stroke={1.6} />}
      </span>
      <p className={classes['title']}>{title}</p>
      {text && <p className={classes['text']}>{text}</p>}
      {next && <LinkButton to={next.to}>{next.label}</LinkButton>}
      {action}
    </div>
  );
}
