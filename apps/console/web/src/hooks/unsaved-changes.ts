import { useLayoutEffect, useSyncExternalStore } from 'react';

// Which forms of the page hold what is not saved, and what is waiting for an answer whether to leave them. One for the
// whole page: the browser's own ways out (Back, closing the tab) know no React context.
const forms = new Set<object>();
const subscribers = new Set<() => void>();
let pending: (() => void) | null = null;

function setPending(next: (() => void) | null): void {
  pending = next;
  for (const changed of subscribers) changed();
}

/** Whether a form of the page holds what would be lost. */
export const hasUnsaved = (): boolean => forms.size > 0;

/** Says whether a form holds what is not saved: leaving the page then asks first. */
export function useUnsaved(unsaved: boolean): void {
  // A layout effect: a redirect of the page that takes this one's place must not find it any more.
  useLayoutEffect(() => {
    if (!unsaved) return;
    const form = {};
    forms.add(form);
    return () => void forms.delete(form);
  }, [unsaved]);
}

/** Does what leaves the page; with something unsaved only after the person has agreed. */
export function leave(go: () => void): void {
  if (hasUnsaved()) setPending(go);
  else go();
}

/** What waits for an answer, for the dialog that asks. */
export const usePendingLeave = (): (() => void) | null =>
  useSyncExternalStore(
    (changed) => {
      subscribers.add(changed);
      return () => void subscribers.delete(changed);
    },
    () => pending,
  );

/** Stays: nothing is left and nothing is lost. */
export const stay = (): void => setPending(null);

/** Leaves without asking: what is not saved is given up, or was saved just now. */
export function leaveNow(go: () => void): void {
  setPending(null);
  forms.clear();
  go();
}
