import type { Request, Response } from 'express';
import type { AuditAction, AuditedCall } from '@rewardhook/database';
import { traceOf } from '@rewardhook/process';
import { ownerOf } from '../keys/authenticate.ts';

/** What the audit records of a call with a secret key. */
export function auditedCall(request: Request, response: Response, action: AuditAction): AuditedCall {
  const { keyId, merchantId } = ownerOf(response);
  return {
    action,
    actor: { kind: 'api_key', id: keyId },
    merchantId,
    subjectId: null,
    address: request.ip ?? null,
    requestId: traceOf(response).requestId ?? null,
  };
}
