// Routes have modules of their own, so the points are on the global object. A real shop has a table, with a unique key on the
// reward's id and the type of the event.
const shared = globalThis as typeof globalThis & { points?: Map<string, number> };

/** Points by member. */
export const points = (shared.points ??= new Map());

export function add(member: string, amount: number): void {
  points.set(member, (points.get(member) ?? 0) + amount);
}
