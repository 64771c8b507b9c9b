import { CloseButton, NativeSelect, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';

interface FilterSelectProps {
  label: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
  options: { value: string; label: string }[];
  /** Label of the option without a filter. */
  all: string;
}

/** A filter with a fixed list of options. */
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

interface SearchFieldProps {
  label: string;
  value: string;
  onSearch: (value: string) => void;
  /** Whether blanks at the ends are searched for. Default: the search ignores them. */
  keepBlanks?: boolean;
}

/** A search that starts when typing stops. */
export function SearchField({ label, value, onSearch, keepBlanks = false }: SearchFieldProps) {
  const { t } = useTranslation();
  const [text, setText] = useState(value);
  const searched = (typed: string) => (keepBlanks ? typed : typed.trim());
  // The search ignores a space at the end, but the field keeps it for the next word.
  useEffect(() => setText((now) => (searched(now) === value ? now : value)), [value]);
  useEffect(() => {
    if (searched(text) === value) return undefined;
    const timer = setTimeout(() => onSearch(searched(text)), 300);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={label}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      leftSection={<IconSearch size={15} aria-hidden />}
      rightSection={
        text && <CloseButton size="sm" aria-label={t('common.clear')} onClick={() => setText('')} />
      }
      style={{ flex: '1 1 240px', maxWidth: 380 }}
    />
  );
}
