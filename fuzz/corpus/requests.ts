import type { FuzzRequest } from '../requests/fuzz-request.ts';

/** Requests that a server of this service once did not answer as it should. Each run sends them first. */
export const foundRequests: readonly FuzzRequest[] = [];
