import { ActionIcon, Tooltip } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { changeLanguage } from '../app/i18n.ts';

/** Switches between Korean and English. Its label is in the language that it switches to. */
export function LanguageSwitch() {
  const { i18n } = useTranslation();
  const other =
    i18n.language === 'ko'
      ? ({ code: 'en', name: 'English' } as const)
      : ({ code: 'ko', name: '한국어' } as const);
  return (
    <Tooltip label={other.name} withArrow>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        lang={other.code}
        aria-label={other.name}
        onClick={() => void changeLanguage(other.code)}
        style={{ fontSize: 13, fontWeight: 600 }}
      >
        {other.code === 'ko' ? '가' : 'A'}
      </ActionIcon>
    </Tooltip>
  );
}
