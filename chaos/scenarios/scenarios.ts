import { answerTimes } from './answer-times.ts';
import { byHand } from './by-hand.ts';
import { changedWebhooks } from './changed-webhooks.ts';
import { erasure } from './erasure.ts';
import { feed } from './feed.ts';
import { heldUpWork } from './held-up-work.ts';
import { latestSent } from './latest-sent.ts';
import { limits } from './limits.ts';
import { load } from './load.ts';
import { outage } from './outage.ts';
import { programs } from './programs.ts';
import { races } from './races.ts';
import { rules } from './rules.ts';
import { receivers } from './receivers.ts';
import { reportedFaults } from './reported-faults.ts';
import type { Scenario } from './scenario.ts';
import { slowReceivers } from './slow-receivers.ts';
import { storedLater } from './stored-later.ts';
import { tenants } from './tenants.ts';

/** All scenarios. */
export const scenarios: readonly Scenario[] = [
  load,
  latestSent,
  storedLater,
  outage,
  rules,
  races,
  limits,
  byHand,
  programs,
  erasure,
  tenants,
  heldUpWork,
  answerTimes,
  reportedFaults,
  feed,
  receivers,
  slowReceivers,
  changedWebhooks,
];
