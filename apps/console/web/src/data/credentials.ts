import { useMutation, useQuery } from '@tanstack/react-query';
import { change, read } from './request.ts';
import type {
  ChangeLinkingRequest,
  CredentialsView,
  LinkingView,
  NewApiKeyResponse,
  NewApiKeyRequest,
  OriginsView,
  ReplacedIdentitySecret,
  ReplaceIdentitySecretRequest,
  RevealedSecret,
  VerifyOriginRequest,
} from './types.ts';
import { useChange } from './use-change.ts';

const stale = [['/credentials'], ['/home']];

export function useCredentials() {
  return useQuery({
    queryKey: ['/credentials'],
    queryFn: () => read<CredentialsView>('/credentials'),
    refetchInterval: 15_000,
  });
}

export const useNewApiKey = () =>
  useChange(
    (input: NewApiKeyRequest) => change<NewApiKeyResponse>('POST', '/credentials/api-keys', input),
    stale,
  );

export const useRevokeApiKey = () =>
  useChange((id: string) => change<void>('DELETE', `/credentials/api-keys/${id}`), stale);

export const useReplaceIdentitySecret = () =>
  useChange(
    (input: ReplaceIdentitySecretRequest) =>
      change<ReplacedIdentitySecret>('POST', '/credentials/identity-secret/replace', input),
    [['/credentials']],
  );

export const useChangeLinking = () =>
  useChange(
    (input: ChangeLinkingRequest) => change<LinkingView>('PUT', '/credentials/linking', input),
    stale,
  );

export const useVerifyOrigin = () =>
  useChange(
    (input: VerifyOriginRequest) => change<OriginsView>('POST', '/credentials/origins', input),
    [['/credentials']],
  );

/** Reveals a signing key by its id, or the identity secret. The response is not cached. */
export function useReveal() {
  return useMutation({
    mutationFn: (what: { signingKey: string } | 'identity-secret') =>
      change<RevealedSecret>(
        'POST',
        what === 'identity-secret'
          ? '/credentials/identity-secret/reveal'
          : `/credentials/signing-keys/${what.signingKey}/reveal`,
      ),
    gcTime: 0,
  });
}
