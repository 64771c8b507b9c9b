/** The classic script: `window.Rewardhook`. */
import { boot, forget, init } from './index.ts';

const sdk = { init, boot, forget };

/** A call of the stub that a page has before the script is loaded: the name, what was given, and what settles its promise. */
type QueuedCall = [name: keyof typeof sdk, given: never, settle: (result: unknown) => void];

const page = globalThis as unknown as {
  Rewardhook?: Partial<typeof sdk> & {
    q?: { push(call: QueuedCall): unknown } & Partial<Iterable<QueuedCall>>;
  };
};
const present = page.Rewardhook;
const queue = present?.q;

// A theme and a tag manager may both include the script: the first one has the settings and the code of the page.
if (present?.boot && !queue) console.warn('Rewardhook: the script is included twice. The first one stays.');
else {
  page.Rewardhook = { ...sdk };
  const run = ([name, given, settle]: QueuedCall) => settle((sdk[name] as (given: never) => unknown)(given));
  for (const call of (queue ?? []) as Iterable<QueuedCall>) run(call);
  // A page that has kept a function of the stub.
  if (queue) queue.push = run;
}
