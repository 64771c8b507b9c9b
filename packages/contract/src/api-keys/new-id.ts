import { randomBase62 } from './random-text.ts';

/** A new identifier such as `evt_` + 22 base62 characters (131 random bits). */
export function newId(prefix: string): string {
  return `${prefix}_${randomBase62(22)}`;
}
