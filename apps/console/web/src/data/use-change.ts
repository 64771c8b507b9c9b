import { useMutation, useQueryClient } from '@tanstack/react-query';
import { isVersionConflict } from './api-error.ts';

/** The part of a mutation that a form needs. */
export interface Change<Input, Output> {
  mutateAsync(input: Input): Promise<Output>;
  isPending: boolean;
}

/**
 * A change on the server. Afterwards, queries whose keys begin with one of `stale` are read again. They are also read
 * again after a version conflict, so that the caller's error handler sees the newer data.
 */
export function useChange<Input, Output>(
  run: (input: Input) => Promise<Output>,
  stale: readonly (readonly unknown[])[],
) {
  const client = useQueryClient();
  const invalidate = () =>
    Promise.all(stale.map((queryKey) => client.invalidateQueries({ queryKey: [...queryKey] })));
  return useMutation({
    mutationFn: run,
    onSuccess: invalidate,
    onError: (error: Error) => (isVersionConflict(error) ? invalidate() : undefined),
  });
}
