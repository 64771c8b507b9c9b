import { useMutation, useQueryClient } from '@tanstack/react-query';

/** A change to the server's data; when it is done, what was read under `stale` (beginnings of keys) is read again. */
export function useChange<Input, Output>(
  run: (input: Input) => Promise<Output>,
  stale: readonly (readonly unknown[])[],
) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: run,
    onSuccess: () =>
      Promise.all(stale.map((queryKey) => client.invalidateQueries({ queryKey: [...queryKey] }))),
  });
}
