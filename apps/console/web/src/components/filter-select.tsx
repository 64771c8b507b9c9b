import { NativeSelect } from '@mantine/core';

interface FilterSelectProps {
  label: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
  options: { value: string; label: string }[];
  /** What the choice of no filter says. */
  all: string;
}

/** A filter with a closed list of choices. */
export function FilterSelect({ label, value, onChange, options, all }: FilterSelectProps) {
  return (
    <NativeSelect
      aria-label={label}
      value={value ?? ''}
      onChange={(event) => onChange(event.currentTarget.value || undefined)}
      style={{ maxWidth: 260 }}
      data={[{ value: '', label: all }, ...options]}
    />
  );
}
