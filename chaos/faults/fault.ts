import type { LoadEnvironment } from '../../tests/harness/service-under-load/open-environment.ts';
import type { Random } from '../../tests/harness/service-under-load/random.ts';

/** A fault that is injected, and is over when `inject` resolves. */
export interface Fault {
  name: string;
  /** How often it is chosen relative to the others. */
  weight: number;
  /** Not injected together with another fault, because it needs everything else to work. */
  alone?: boolean;
  /**
   * Causes the fault and ends it. Returns what was done, for the report. Takes its random numbers before it waits, so that
   * a seed gives two concurrent faults the same ones in every run.
   */
  inject(environment: LoadEnvironment, random: Random): Promise<string>;
}
