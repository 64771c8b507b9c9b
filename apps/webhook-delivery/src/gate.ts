/** Lets so many in at a time. */
export interface Gate {
  /** Resolves when it is one's turn, first come, first served, with what to call when done. */
  enter(): Promise<() => void>;
}

/**
 * A gate that nobody holds up: who is not done after `heldMs` gives up the place all the same. So it bounds how much
 * is begun at once, and what takes long is not counted any more.
 */
export function openGate({ places, heldMs }: { places: number; heldMs: number }): Gate {
  let free = places;
  const waiting: (() => void)[] = [];
  const leaveOnce = () => {
    let left = false;
    const leave = () => {
      if (left) return;
      left = true;
      clearTimeout(late);
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    };
    const late = setTimeout(leave, heldMs);
    return leave;
  };
  return {
    async enter() {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      return leaveOnce();
    },
  };
}
