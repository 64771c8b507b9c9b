/** A right of a user of the console in a shop. */
export type Right =
  /** Reads and exports everything but secrets, the team and the activity. */
  | 'read'
  /** Simulates, saves and publishes a version of the program. */
  | 'publish'
  /** Accepts and rejects referrals. */
  | 'review'
  /** Corrects rewards, links and members, and retries deliveries. */
  | 'correct'
  /** Webhooks, API keys, linking, secrets and samples. */
  | 'integrate'
  /** Reads the activity, without the addresses of browsers and without sign-ins. */
  | 'activity'
  /** All activity, the team, the settings of the shop, and the deletion of test data. */
  | 'manage';

const rights = {
  owner: ['read', 'publish', 'review', 'correct', 'integrate', 'activity', 'manage'],
  developer: ['read', 'publish', 'review', 'correct', 'integrate', 'activity'],
  marketer: ['read', 'publish', 'review', 'activity'],
  support: ['read', 'review', 'correct', 'activity'],
  viewer: ['read'],
} as const satisfies Record<string, readonly Right[]>;

/** The role of a user in the team of a shop. */
export type TeamRole = keyof typeof rights;

export const teamRoles = Object.keys(rights) as TeamRole[];

const rightsOf = new Map<string, readonly Right[]>(Object.entries(rights));

/** Whether a role has a right. A role that a newer release has stored, and this one does not know, has none. */
export const hasRight = (role: string, right: Right): boolean => rightsOf.get(role)?.includes(right) ?? false;

/** The roles that have a right. */
export const rolesWith = (right: Right): TeamRole[] => teamRoles.filter((role) => hasRight(role, right));
