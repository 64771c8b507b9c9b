import { ActionIcon } from '@mantine/core';
import type { ComponentProps, ReactNode } from 'react';
import classes from './icon-button.module.css';

interface IconButtonProps extends Omit<ComponentProps<typeof ActionIcon<'button'>>, 'aria-label'> {
  /** What it does: for screen readers, and beside the button that is pointed at or focused. */
  label: string;
  children: ReactNode;
}

/** A button of the frame of the page. Its tooltip is a style, so that sign-in does not load a library for tooltips. */
export function IconButton({ label, children, ...others }: IconButtonProps) {
  return (
    <ActionIcon
      className={classes['button']}
      variant="subtle"
      color="gray"
      size="lg"
      aria-label={label}
      data-tooltip={label}
      {...others}
    >
      {children}
    </ActionIcon>
  );
}
