/** Functions that close what a test has opened, to be run in the opposite order. */
export interface Cleanup {
  add(close: () => unknown): void;
  /** Runs all of them, also when one fails. @throws AggregateError with the failures */
  run(): Promise<void>;
}

/** An empty list of clean-up functions. */
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
      if (errors.length > 0) throw new AggregateError(errors, 'the clean-up failed');
    },
  };
}
