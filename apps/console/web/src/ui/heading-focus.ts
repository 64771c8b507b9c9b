let requested = false;

/** Called on navigation within the page: the heading that renders next takes the focus, for screen readers. */
export function requestHeadingFocus(): void {
  requested = true;
}

/** Whether a heading should take the focus. True once for each request. */
export function takeHeadingFocus(): boolean {
  const taken = requested;
  requested = false;
  return taken;
}
