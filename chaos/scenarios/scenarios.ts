import { erasure } from './erasure.ts';
import { heldUpWork } from './held-up-work.ts';
import { latestSent } from './latest-sent.ts';
import { load } from './load.ts';
import { outage } from './outage.ts';
import { races } from './races.ts';
import type { Scenario } from './scenario.ts';
import { tenants } from './tenants.ts';

/** All scenarios. */
export const scenarios: readonly Scenario[] = [load, latestSent, outage, races, erasure, tenants, heldUpWork];
