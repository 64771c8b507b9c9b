import { useLayoutEffect, useSyncExternalStore } from 'react';

// The forms of the page with unsaved changes, and the navigation that waits for the person's decision. Module state and no
// React context, because the event handlers of the browser (Back, closing the tab) need it too.
const unsavedForms = new Set<object>();
const subscribers = new Set<() => void>();
let pendingLeave: (() => void) | null = null;

function setPendingLeave(next: (() => void) | null): void {
  pendingLeave = next;
  for (const changed of subscribers) changed();
}

/** Whether a form of the page has unsaved changes. */
export const hasUnsaved = (): boolean => unsavedForms.size > 0;

/** Registers a form while it has unsaved changes: leaving the page then asks first. */
export function useUnsaved(unsaved: boolean): void {
  // A layout effect runs before the effects of a page that replaces this one. Its redirect must not find this form.
  useLayoutEffect(() => {
    if (!unsaved) return;
    const form = {};
    unsavedForms.add(form);
    return () => void unsavedForms.delete(form);
  }, [unsaved]);
}

/** Runs a navigation. With unsaved changes, it runs only after the person has agreed. */
export function leave(go: () => void): void {
  if (hasUnsaved()) setPendingLeave(go);
  else go();
}

/** The navigation that waits for a decision, for the dialog. */
export const usePendingLeave = (): (() => void) | null =>
  useSyncExternalStore(
    (changed) => {
      subscribers.add(changed);
      return () => void subscribers.delete(changed);
    },
    () => pendingLeave,
  );

/** Stays on the page. */
export const stay = (): void => setPendingLeave(null);

/** Runs a navigation without a confirmation: unsaved changes are discarded, or were just saved. */
export function leaveNow(go: () => void): void {
  setPendingLeave(null);
  unsavedForms.clear();
  go();
}
