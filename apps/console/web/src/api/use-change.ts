import { useMutation, useQueryClient } from '@tanstack/react-query';
import { isVersionConflict } from './api-error.ts';

/**
 * A change to the server's data; when it is done, what was read under `stale` (beginnings of keys) is read again. So it is
 * when somebody else was faster: what they changed is there when the caller hears of it.
 */
export function useChange<Input, Output>(
  run: (input: Input) => Promise<Output>,
  stale: readonly (readonly unknown[])[],
) {
  const client = useQueryClient();
  const readAgain = () =>
    Promise.all(stale.map((queryKey) => client.invalidateQueries({ queryKey: [...queryKey] })));
  return useMutation({
    mutationFn: run,
    onSuccess: readAgain,
    onError: (error: Error) => (isVersionConflict(error) ? readAgain() : undefined),
  });
}
