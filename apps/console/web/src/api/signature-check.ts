import { change } from './request.ts';
import type { SignatureCheckResponse, SignatureCheckRequest } from './types.ts';
import { useChange } from './use-change.ts';

/** The checklist on Home counts a signature that was found right. */
export const useSignatureCheck = () =>
  useChange(
    (input: SignatureCheckRequest) => change<SignatureCheckResponse>('POST', '/signature-check', input),
    [['/home']],
  );
