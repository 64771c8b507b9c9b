import type { FoundKind, FoundOfKind } from '@rewardhook/database';

export type { FoundKind };

/** GET /search?q=, of 2 to 255 characters. At most five matches of each kind; kinds without a match are left out. */
export type SearchView = FoundOfKind[];
