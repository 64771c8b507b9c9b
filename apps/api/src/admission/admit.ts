import type { Request, RequestHandler, Response } from 'express';
import { dropRest } from '../http/read-body.ts';
import { ownerOf } from '../keys/authenticate.ts';
import type { Admission, Admitted } from './admission.ts';

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

/** Handles a request that was admitted. */
export type AdmittedHandler = (request: Request, response: Response, admitted: Admitted) => Promise<void>;

/** Calls the handler when the request may be handled. Its body has been read, so slow clients take no place. */
export function withAdmission(admission: Admission, handle: AdmittedHandler): RequestHandler {
  return async (request, response) => {
    const admitted = await admission.enter(ownerOf(response).merchantId);
    try {
      await handle(request, response, admitted);
    } finally {
      admitted.end();
    }
  };
}
