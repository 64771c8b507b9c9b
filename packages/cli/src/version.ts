/** Replaced by the version of the package when it is bundled. */
declare const REWARDHOOK_CLI_VERSION: string | undefined;

/** The version of the package; `development` from the sources. */
export const version = typeof REWARDHOOK_CLI_VERSION === 'undefined' ? 'development' : REWARDHOOK_CLI_VERSION;
