import { useForm } from '@mantine/form';
import type { UseFormInput } from '@mantine/form';
import { useEffect, useState } from 'react';
import { useUnsaved } from './unsaved-changes.ts';

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

const isFields = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Merges edits into newly stored values: fields that differ from `base` keep the edited value. */
function mergeEdits(base: unknown, edited: unknown, stored: unknown): unknown {
  if (!isFields(base) || !isFields(edited) || !isFields(stored))
    return isSame(base, edited) ? stored : edited;
  return Object.fromEntries(
    Object.keys(stored).map((field) => [field, mergeEdits(base[field], edited[field], stored[field])]),
  );
}

/**
 * A form for stored values that other people may change too. When the stored values change, fields without edits follow
 * them and edited fields keep their edits; `conflict` then holds the stored values before and now. `base` are the values
 * that the edits are based on. It is sent along on saving, so that the server can refuse to overwrite values that were
 * never shown. While `saving`, stored values are not taken over: `accept` takes over the response.
 */
export function useSavedForm<Values extends object>(
  stored: Values,
  { saving, ...options }: Omit<UseFormInput<Values>, 'initialValues' | 'mode'> & { saving: boolean },
) {
  const form = useForm<Values>({ ...options, initialValues: stored });
  const [base, setBase] = useState(stored);
  const [conflict, setConflict] = useState<{ before: Values; now: Values } | null>(null);
  const edited = !isSame(form.values, base);
  useUnsaved(edited);
  const accept = (values: Values) => {
    form.setInitialValues(values);
    form.setValues(values);
    setBase(values);
    setConflict(null);
  };
  const storedAsText = JSON.stringify(stored);
  useEffect(() => {
    if (saving || isSame(stored, base)) return;
    if (!edited || isSame(stored, form.values)) return accept(stored);
    form.setInitialValues(stored);
    form.setValues(mergeEdits(base, form.values, stored) as Values);
    setBase(stored);
    setConflict({ before: conflict?.before ?? base, now: stored });
  }, [storedAsText, saving]);
  return { form, base, edited, conflict, accept, discard: () => accept(base) };
}
