import { IconInbox } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import classes from './empty-state.module.css';

interface EmptyStateProps {
  title: string;
  /** What to do next. */
  text?: ReactNode;
  action?: ReactNode;
  icon?: ReactNode;
}

/** Shown in place of an empty list: what is missing, and the next step. */
export function EmptyState({ title, text, action, icon }: EmptyStateProps) {
  return (
    <div className={classes['empty']}>
      <span className={classes['icon']} aria-hidden>
        {icon ?? <IconInbox size={22} stroke={1.6} />}
      </span>
      <p className={classes['title']}>{title}</p>
      {text && <p className={classes['text']}>{text}</p>}
      {action}
    </div>
  );
}
