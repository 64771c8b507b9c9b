import type { RequestHandler } from 'express';
import { dropRest } from '../http/read-body.ts';
import { ownerOf } from '../keys/authenticate.ts';
import type { Admission } from './admission.ts';

/**
 * Middleware: refuses an authenticated request before its body is read when the process is overloaded. The body is
 * dropped while it arrives, so that the client can send its next request on the same connection.
 */
export function refuseOverload(admission: Admission): RequestHandler {
  return async (request, response, next) => {
    try {
      admission.check(ownerOf(response).merchantId);
    } catch (error) {
      await dropRest(request);
      throw error;
    }
    next();
  };
}

/** Calls the handler when the request may be handled. Its body has been read, so slow clients take no place. */
export function withAdmission(admission: Admission, handle: RequestHandler): RequestHandler {
  return async (request, response, next) => {
    const end = await admission.enter(ownerOf(response).merchantId);
    try {
      await handle(request, response, next);
    } finally {
      end();
    }
  };
}
