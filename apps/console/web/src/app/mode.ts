import type { Mode } from '@rewardhook/contract';

/** The start of the paths of the test side: every page and every route of the API is below it, too. */
const testBase = '/test';

/** The side of the merchant that a path of the console belongs to. */
export function modeOfPath(path: string): Mode {
  return path === testBase || path.startsWith(`${testBase}/`) ? 'test' : 'live';
}

/** The side that the page shows. It is part of the URL, so that links keep it and two tabs can show different sides. */
export const shownMode = (): Mode => modeOfPath(location.pathname);

/** The start of the paths of a side. */
export const basePathOf = (mode: Mode): string => (mode === 'test' ? testBase : '');

/** A path without the start that selects the side. */
export const withoutBase = (path: string): string => path.slice(basePathOf(modeOfPath(path)).length) || '/';
