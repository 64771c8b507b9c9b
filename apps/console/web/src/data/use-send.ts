import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { AnswerOf } from '../../../src/routes.ts';
import { isVersionConflict } from './api-error.ts';
import { callRoute } from './client.ts';
import type { CallInput, ChangeName } from './client.ts';
import { withPassword } from './password-request.ts';
import { staleAfter } from './stale.ts';

/** The part of a mutation that a form needs. */
export interface Change<Input, Output> {
  mutateAsync(input: Input): Promise<Output>;
  isPending: boolean;
}

/** A call of one of these routes. */
export type CallOf<Name extends ChangeName> = { [One in Name]: { route: One; input: CallInput<One> } }[Name];

interface SendOptions<Answer> {
  onSuccess?: (answer: Answer) => void;
  /** Milliseconds for which the answer is kept after the component is gone. */
  gcTime?: number;
}

/**
 * A change on the server. Afterwards what `staleAfter` says is read again, also after a version conflict, so that the caller's
 * error handler sees the newer data. A call that needs the password waits until it was entered.
 */
function useCall<Name extends ChangeName, Input>(
  callOf: (input: Input) => CallOf<Name>,
  { onSuccess, ...options }: SendOptions<AnswerOf<Name>>,
) {
  const client = useQueryClient();
  const readAgain = (input: Input) =>
    Promise.all(
      staleAfter[callOf(input).route].map((area) => client.invalidateQueries({ queryKey: [area] })),
    );
  return useMutation({
    mutationFn: (input: Input) => {
      const one = callOf(input);
      return withPassword(() => callRoute<Name>(one.route, one.input));
    },
    onSuccess: (answer, input) => {
      onSuccess?.(answer);
      return readAgain(input);
    },
    onError: (error: Error, input) => (isVersionConflict(error) ? readAgain(input) : undefined),
    ...options,
  });
}

type Rest<Name extends ChangeName, Known> = Omit<CallInput<Name>, keyof Known>;

/** A change by one route. `known` is the part of its input that does not wait for the call, such as an id in its path. */
export const useSend = <Name extends ChangeName, Known extends Partial<CallInput<Name>> = object>(
  route: Name,
  known?: Known,
  options: SendOptions<AnswerOf<Name>> = {},
) =>
  useCall<Name, keyof Rest<Name, Known> extends never ? void : Rest<Name, Known>>(
    (input) => ({ route, input: { ...known, ...input } }) as unknown as CallOf<Name>,
    options,
  );

/** A change by one of several routes, which is chosen with the call. */
export const useSendOneOf = <Name extends ChangeName>(options: SendOptions<AnswerOf<Name>> = {}) =>
  useCall<Name, CallOf<Name>>((one) => one, options);
