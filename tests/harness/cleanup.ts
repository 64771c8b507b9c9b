/** What was opened, to be closed in the opposite order. */
export interface Cleanup {
  add(close: () => unknown): void;
  /** Closes everything, also when closing one thing fails. @throws AggregateError of what failed */
  run(): Promise<void>;
}

/** An empty list of things to release. */
export function openCleanup(): Cleanup {
  const closes: (() => unknown)[] = [];
  return {
    add: (close) => void closes.push(close),
    async run() {
      const errors: unknown[] = [];
      for (const close of closes.splice(0).reverse()) {
        try {
          await close();
        } catch (error) {
          errors.push(error);
        }
      }
      if (errors.length > 0) throw new AggregateError(errors, 'not everything could be released');
    },
  };
}
