import { Button } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import type { MoveTarget } from './move-dialog.tsx';

const MoveDialog = lazy(async () => ({ default: (await import('./move-dialog.tsx')).MoveDialog }));

interface MoveButtonProps {
  label: string;
  target: MoveTarget;
  fromOrderId?: string;
}

/** Opens the dialog that gives a member another referrer, or a first one. */
export function MoveButton({ label, ...dialog }: MoveButtonProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button variant="default" size="xs" onClick={() => setOpen(true)}>
        {label}
      </Button>
      <Suspense>{isOpen && <MoveDialog {...dialog} onClose={() => setOpen(false)} />}</Suspense>
    </>
  );
}
