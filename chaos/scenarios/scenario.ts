import type { Random } from '../random.ts';
import type { Service } from '../service/open-service.ts';
import type { Shop, ShopOptions } from '../shop/open-shop.ts';

/** A use of the service in which a guard matters. */
export interface Scenario {
  name: string;
  /** What it does, in one sentence. */
  what: string;
  /** The situation that it must have reached, as a sentence. A run in which it was not reached proves nothing, and fails. */
  situation: string;
  /** Whether faults may be injected at random beside it. Otherwise it runs in rounds without them, and injects its own. */
  besideFaults: boolean;
  /** It has a round of its own, because it takes servers away from everybody, or measures times. */
  alone?: true;
  /** It runs only when it is named, because it takes longer than a round should. */
  onlyByName?: true;
  /** Checks of what only the scenario can see while it runs. */
  ownChecks?: readonly { name: string; promise: string }[];
  /** Runs once, for some seconds, with members and orders that no other round has. */
  run(context: ScenarioContext): Promise<void>;
}

/** What a scenario works with. */
export interface ScenarioContext {
  service: Service;
  random: Random;
  /** Part of every id of this round, so that rounds do not meet: `r3`. */
  round: string;
  /** Whether the round has time for more: always false without random faults, where a scenario runs once and ends. */
  isTimeLeft(): boolean;
  /** A shop of this scenario. It is created the first time, and kept for later rounds. */
  shop(name: string, options?: ShopOptions): Promise<Shop>;
  /** The situation was reached. */
  reached(): void;
  /** One of its own checks looked at something, `count` times. The problems are violations. */
  checked(check: string, count: number, problems?: string[]): void;
  /** A time for the report, in milliseconds. */
  measured(what: string, ms: number): void;
  /** Is aborted when the load has to stop. */
  signal: AbortSignal;
}
