import type { ChaosEnvironment } from '../environment/open-environment.ts';
import type { Random } from '../random.ts';

/** Something that goes wrong, and is over when `strike` resolves. */
export interface Fault {
  name: string;
  /** How often it is chosen, beside the others. */
  weight: number;
  /** Strikes by itself: it needs the rest to work. */
  alone?: boolean;
  /**
   * Brings the fault about and ends it. Returns what was done, for the report. Draws its numbers before it waits, so
   * that a seed gives the same ones to two faults at the same time.
   */
  strike(environment: ChaosEnvironment, random: Random): Promise<string>;
}
