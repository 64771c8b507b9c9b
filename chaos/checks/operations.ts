import type { Check } from './check.ts';

/** When faults end, all work is done within a minute. */
export const workDone: Check = {
  name: 'work-done',
  promise: 'When faults end, everything is stored, evaluated and delivered within 60 s',
  check: ({ drained }) => ({
    count: 1,
    violations:
      drained === undefined
        ? [{ text: 'the run ended before all work was done' }]
        : drained.afterMs === null
          ? [{ text: `after 60 s there were ${drained.open}` }]
          : [],
  }),
};

/** `doctor` finds nothing at the end. */
export const doctorClean: Check = {
  name: 'doctor-clean',
  promise: 'doctor finds nothing wrong when all work is done',
  check(history) {
    const [document] = history.observed<{ clean: boolean; faults: Record<string, number> } | undefined>(
      'doctor',
    );
    if (document?.clean === true) return { count: 1, violations: [] };
    const faults = Object.entries(document?.faults ?? {}).filter(([, count]) => count !== 0);
    const found = faults.map(([name, count]) => `${name} ${count}`).join(', ');
    return { count: 1, violations: [{ text: document ? `doctor found ${found}` : 'doctor gave no answer' }] };
  },
};

/** No process ends that nobody has ended. */
export const noUnexpectedExits: Check = {
  name: 'no-unexpected-exits',
  promise: 'A process ends only when it is stopped or killed',
  check: ({ exits }) => ({
    count: 1,
    violations: exits.map(({ process, how }) => ({ text: `${process} ended by itself (${how})` })),
  }),
};
