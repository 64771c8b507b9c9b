import { ActionIcon, Button } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import classes from './search-button.module.css';

/** Opens the search. It looks like a field, and names the keys. */
export function SearchButton({ onClick }: { onClick: () => void }) {
  const { t } = useTranslation();
  const keys = t(navigator.userAgent.includes('Mac OS') ? 'search.keysOnMac' : 'search.keys');
  return (
    <Button
      className={classes['button']}
      variant="default"
      justify="space-between"
      fullWidth
      leftSection={<IconSearch size={16} aria-hidden />}
      rightSection={
        <kbd className={classes['keys']} aria-hidden>
          {keys}
        </kbd>
      }
      aria-keyshortcuts="Control+K Meta+K"
      onClick={onClick}
    >
      {t('search.open')}
    </Button>
  );
}

/** Opens the search, where there is no room for the field. */
export function SearchIcon({ onClick }: { onClick: () => void }) {
  const { t } = useTranslation();
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="lg"
      ml="auto"
      aria-label={t('search.open')}
      onClick={onClick}
    >
      <IconSearch size={19} stroke={1.7} aria-hidden />
    </ActionIcon>
  );
}
