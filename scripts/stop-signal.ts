/**
 * Aborts when we are to end: Ctrl-C, SIGTERM, a closed terminal, or the death of the process that started us.
 * From then on there are `deadlineMs` to end in order; what is not ended by then is left to the orphan guard.
 */
export function stopSignal(deadlineMs = 9_500): AbortSignal {
  const stopping = new AbortController();
  const stop = (why: string) => {
    // npm, a shell and the terminal may each hand us the same Ctrl-C.
    if (stopping.signal.aborted) return;
    setTimeout(() => process.exit(1), deadlineMs).unref();
    stopping.abort(why);
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => stop(name));
  process.on('disconnect', () => stop('the death of our parent'));
  // With the parent the terminal may be gone too: nobody reads what we still have to say.
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
