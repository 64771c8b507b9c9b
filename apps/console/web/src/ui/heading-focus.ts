import { useEffect, useRef } from 'react';
import type { RefObject } from 'react';
import { whenIdle } from './when-idle.ts';

let requested = false;
let hasTypeface = false;

/** Called on navigation within the page: the heading that renders next takes the focus, for screen readers. */
export function requestHeadingFocus(): void {
  requested = true;
}

/** For the heading of a page: it takes the focus after navigation. The typeface is requested after the first one, as nothing waits for it. */
export function useHeading(): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (requested) heading.current?.focus({ preventScroll: true });
    requested = false;
    if (!hasTypeface) whenIdle(() => void import('../app/typeface.css'));
    hasTypeface = true;
  }, []);
  return heading;
}
