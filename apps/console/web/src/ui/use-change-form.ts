import { useForm } from '@mantine/form';
import type { UseFormInput, UseFormReturnType } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { FormEventHandler } from 'react';
import { isTransient } from '../data/api-error.ts';
import { formErrors } from '../data/form-errors.ts';
import { useUnsaved } from './unsaved-changes.ts';

/** What `Form` and `FormDialog` show of a form that is sent. */
export interface Submit {
  onSubmit: FormEventHandler<HTMLFormElement>;
  isPending: boolean;
  /** An error to show above the fields. */
  error: Error | null;
}

interface Sending<Values extends object, Output, Plan> {
  send: (values: Values) => Promise<Output>;
  done?: ((output: Output, form: UseFormReturnType<Values>) => void) | undefined;
  /** Finds out what the change would do. The form is then sent when it is submitted once more; at once, if this returns undefined. */
  plan?: ((values: Values) => Promise<Plan> | undefined) | undefined;
  /** The texts of an error that is shown at fields only: for errors whose usual text does not suit the form. */
  errorsAtFields?: ((error: Error) => Record<string, string> | undefined) | undefined;
}

/** Values of a form, and the answer to them. A mutation runs the newest function that it was given, which may be that of a later render. */
interface Asked<Values, Answer> {
  of: Values;
  answer: Promise<Answer>;
}

/**
 * Sends the values of a form, and shows the errors of the API at their fields. `planned` is what the plan of these values said, and
 * `refusal` why they were refused, until a value changes: what is sent again after a failure of the network must be the same.
 */
export function useSubmit<Values extends object, Output, Plan = never>(
  form: UseFormReturnType<Values>,
  { send, done, plan, errorsAtFields = () => undefined }: Sending<Values, Output, Plan>,
) {
  const sending = useMutation({ mutationFn: ({ answer }: Asked<Values, Output>) => answer });
  const planning = useMutation({ mutationFn: ({ answer }: Asked<Values, Plan>) => answer });
  const [refused, setRefused] = useState<{ of: Values; error: Error }>();
  const planned = planning.variables?.of === form.values ? planning.data : undefined;
  const onError = (error: Error) => form.setErrors(errorsAtFields(error) ?? formErrors(error));
  const error = sending.error ?? planning.error;
  const submit: Submit = {
    onSubmit: form.onSubmit((values) => {
      sending.reset();
      const answer = planned === undefined ? plan?.(values) : undefined;
      if (answer) planning.mutate({ of: values, answer }, { onError });
      else
        sending.mutate(
          { of: values, answer: send(values) },
          {
            onSuccess: (output) => done?.(output, form),
            onError: (cause) => {
              onError(cause);
              if (!isTransient(cause)) setRefused({ of: values, error: cause });
            },
          },
        );
    }),
    isPending: sending.isPending || planning.isPending,
    error: error && errorsAtFields(error) ? null : error,
  };
  const refusal = refused?.of === form.values ? refused.error : null;
  return { submit, planned, refusal, output: sending.data };
}

type ChangeForm<Values extends object, Output, Plan> = Sending<Values, Output, Plan> &
  UseFormInput<Values> & { initialValues: Values };

/**
 * A form that sends a change. Leaving the page with input asks first; not from a form in the mode `uncontrolled`, which is for input that
 * is easily repeated.
 */
export function useChangeForm<Values extends object, Output, Plan = never>({
  send,
  done,
  plan,
  errorsAtFields,
  ...options
}: ChangeForm<Values, Output, Plan>) {
  const form = useForm<Values>(options);
  const sent = useSubmit<Values, Output, Plan>(form, { send, done, plan, errorsAtFields });
  const isUnsaved = options.mode !== 'uncontrolled' && form.isDirty();
  useUnsaved(isUnsaved);
  return { form, isUnsaved, ...sent };
}
