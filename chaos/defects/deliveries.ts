import type { Defect } from './defect.ts';

/** Guards between an event and the answer of its receiver. */
export const deliveryDefects: readonly Defect[] = [];
