import { useForm } from '@mantine/form';
import type { UseFormInput } from '@mantine/form';
import { useEffect, useState } from 'react';
import { useUnsaved } from './unsaved-changes.ts';

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

const isFields = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What is stored now, with the fields that were edited since `base` as they were edited. */
function withEdits(base: unknown, edited: unknown, stored: unknown): unknown {
  if (!isFields(base) || !isFields(edited) || !isFields(stored))
    return isSame(base, edited) ? stored : edited;
  return Object.fromEntries(
    Object.keys(stored).map((field) => [field, withEdits(base[field], edited[field], stored[field])]),
  );
}

/**
 * A form of what is stored and may be changed by others too. When what is stored changes, the fields that were not
 * edited follow it, and the edited ones keep their edits; `meanwhile` then says what was stored before and what is stored
 * now. `base` is what the edits are based on: it goes along when the form is saved, so that the server refuses to overwrite
 * what was never shown. While `saving` the form waits for the answer, which `accept` takes over.
 */
export function useSavedForm<Values extends object>(
  stored: Values,
  { saving, ...options }: Omit<UseFormInput<Values>, 'initialValues' | 'mode'> & { saving: boolean },
) {
  const form = useForm<Values>({ ...options, initialValues: stored });
  const [base, setBase] = useState(stored);
  const [meanwhile, setMeanwhile] = useState<{ before: Values; now: Values } | null>(null);
  const edited = !isSame(form.values, base);
  useUnsaved(edited);
  const accept = (values: Values) => {
    form.setInitialValues(values);
    form.setValues(values);
    setBase(values);
    setMeanwhile(null);
  };
  const storedAsText = JSON.stringify(stored);
  useEffect(() => {
    if (saving || isSame(stored, base)) return;
    if (!edited || isSame(stored, form.values)) return accept(stored);
    form.setInitialValues(stored);
    form.setValues(withEdits(base, form.values, stored) as Values);
    setBase(stored);
    setMeanwhile({ before: meanwhile?.before ?? base, now: stored });
  }, [storedAsText, saving]);
  return { form, base, edited, meanwhile, accept, discard: () => accept(base) };
}
