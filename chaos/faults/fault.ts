import type { Random } from '../random.ts';
import type { Service } from '../service/open-service.ts';

/** Something that goes wrong, and is over when `inject` resolves. */
export interface Fault {
  name: string;
  /** How often it is chosen relative to the others. */
  weight: number;
  /** Nothing else goes wrong at the same time. */
  alone?: true;
  /** Causes the fault and ends it. Takes its random numbers before it waits: the same seed makes the same choices. */
  inject(service: Service, random: Random): Promise<void>;
}
