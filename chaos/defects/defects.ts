import type { Defect } from './defect.ts';
import { deliveryDefects } from './deliveries.ts';
import { memberDefects } from './members.ts';
import { operationDefects } from './operations.ts';
import { orderDefects } from './orders.ts';
import { rewardDefects } from './rewards.ts';

/** All defects, in the order in which the self-test plants them. */
export const defects: readonly Defect[] = [
  ...orderDefects,
  ...memberDefects,
  ...rewardDefects,
  ...deliveryDefects,
  ...operationDefects,
];
