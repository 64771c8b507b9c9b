const stopping = new AbortController();

/** Whether the signal of `stopSignal` has aborted. */
export const isStopping = (): boolean => stopping.signal.aborted;

/**
 * Aborts on Ctrl-C, SIGTERM, a closed terminal, or the end of the parent process. The process exits at the latest
 * `deadlineMs` later; the orphan guard stops the children that still run then.
 */
export function stopSignal(deadlineMs = 9_500): AbortSignal {
  const stop = (why: string) => {
    // npm, a shell and the terminal may each deliver the same Ctrl-C.
    if (stopping.signal.aborted) return;
    setTimeout(() => process.exit(1), deadlineMs).unref();
    stopping.abort(why);
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => stop(name));
  process.on('disconnect', () => stop('the parent process ended'));
  // The terminal may have ended with the parent: ignore errors of writing to it.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  return stopping.signal;
}

/** Resolves when the signal is aborted, and keeps the process running until then. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const staying = setInterval(() => undefined, 60_000);
    const leave = () => {
      clearInterval(staying);
      resolve();
    };
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
  });
}
