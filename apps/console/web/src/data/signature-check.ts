import { change } from './request.ts';
import type { SignatureCheckResponse, SignatureCheckRequest } from './types.ts';
import { useChange } from './use-change.ts';

/** A valid signature completes a step of the checklist on Home. */
export const useSignatureCheck = () =>
  useChange(
    (input: SignatureCheckRequest) => change<SignatureCheckResponse>('POST', '/signature-check', input),
    [['/home']],
  );
