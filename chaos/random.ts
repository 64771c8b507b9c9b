/** Pseudo-random numbers: the same for the same seed. */
export interface Random {
  /** At least `from` and below `to`. */
  between(from: number, to: number): number;
  integer(from: number, to: number): number;
  chance(probability: number): boolean;
  pick<T>(choices: readonly T[]): T;
}

/** The generator mulberry32, which is good enough for choosing faults and orders. */
export function openRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (from: number, to: number) => from + next() * (to - from);
  const integer = (from: number, to: number) => Math.floor(between(from, to + 1));
  return {
    between,
    integer,
    chance: (probability) => next() < probability,
    pick: (choices) => {
      if (choices.length === 0) throw new Error('no choices');
      return choices[integer(0, choices.length - 1)] as (typeof choices)[number];
    },
  };
}
