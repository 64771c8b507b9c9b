/** A guard of the service that is taken out, to see that somebody notices. */
export interface Defect {
  /** The guard that is missing. */
  name: string;
  /** What the guard is for, in one sentence. */
  guard: string;
  edits: readonly Edit[];
  /** Who notices. */
  caughtBy: Scenario | Test;
}

/** A scenario, and the check that fails in it. */
interface Scenario {
  scenario: string;
  check: string;
}

/** A test, for what no scenario can show, and why none can. */
interface Test {
  test: string;
  title: string;
  because: string;
}

/** A text of a file, which occurs once, and what it becomes. A function of SQL is changed in the migration that runs, too. */
export interface Edit {
  file: string;
  find: string;
  replace: string;
}

/** A guard that nobody can miss while another one stands, with that other one. The reason is beside the code of the guard. */
export interface HiddenGuard {
  /** By the name that it has in the file. */
  guard: string;
  file: string;
  hiddenBy: string;
}
