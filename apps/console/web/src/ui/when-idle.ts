/** Runs when the browser has nothing more urgent to do. Safari has no such call. */
export function whenIdle(run: () => void): void {
  if ('requestIdleCallback' in window) requestIdleCallback(run);
  else setTimeout(run, 200);
}
