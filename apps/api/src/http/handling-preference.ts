import type { Request, Response } from 'express';

const strictPreference = /(?:^|,)\s*handling\s*=\s*(?:strict|"strict")\s*(?:$|[,;])/i;

/**
 * Whether the client wants unknown fields of the body refused: `Prefer: handling=strict` (RFC 7240). The response says
 * that the preference is applied.
 */
export function isStrict(request: Request, response: Response): boolean {
  const strict = strictPreference.test(request.get('prefer') ?? '');
  if (strict) response.set('preference-applied', 'handling=strict');
  return strict;
}
