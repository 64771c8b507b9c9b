import { CloseButton, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';

interface SearchFieldProps {
  label: string;
  value: string;
  onSearch: (value: string) => void;
}

/** A search that starts when one has stopped typing. */
export function SearchField({ label, value, onSearch }: SearchFieldProps) {
  const { t } = useTranslation();
  const [text, setText] = useState(value);
  // A space at the end is not searched for, but what is typed next may follow it.
  useEffect(() => setText((now) => (now.trim() === value ? now : value)), [value]);
  useEffect(() => {
    if (text.trim() === value) return undefined;
    const timer = setTimeout(() => onSearch(text.trim()), 300);
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
