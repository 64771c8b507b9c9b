/** How many bad fields an answer names at most. */
export const MAX_BAD_FIELDS = 10_000;

/** Collects the bad fields of a request by path, up to {@link MAX_BAD_FIELDS}. */
export class BadFields {
  readonly params: Record<string, string> = {};
  private count = 0;

  /** Names a bad field; the first error of a path stays. */
  add(path: string, message: string): void {
    if (Object.hasOwn(this.params, path)) return;
    this.count++;
    if (this.count <= MAX_BAD_FIELDS) this.params[path] = message;
    else this.params.orders = `has more bad fields than the ${MAX_BAD_FIELDS} named here`;
  }

  get any(): boolean {
    return this.count > 0;
  }

  /** There are more bad fields than are named: looking on is of no use. */
  get overflowed(): boolean {
    return this.count > MAX_BAD_FIELDS;
  }
}
