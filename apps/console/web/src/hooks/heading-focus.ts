let arrived = false;

/** Says that one has navigated within the page, so that the next heading takes the focus. */
export function requestHeadingFocus(): void {
  arrived = true;
}

/** Whether the heading that asks is the one navigated to; only the first one that asks is told so. */
export function takeHeadingFocus(): boolean {
  const mine = arrived;
  arrived = false;
  return mine;
}
