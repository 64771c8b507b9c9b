import { useTranslation } from 'react-i18next';
import { changeLanguage } from '../app/i18n.ts';
import { IconButton } from '../ui/icon-button.tsx';

/** Switches between Korean and English. Its label is in the language that it switches to. */
export function LanguageSwitch() {
  const { i18n } = useTranslation();
  const other =
    i18n.language === 'ko'
      ? ({ code: 'en', name: 'English' } as const)
      : ({ code: 'ko', name: '한국어' } as const);
  return (
    <IconButton
      label={other.name}
      lang={other.code}
      onClick={() => void changeLanguage(other.code)}
      style={{ fontSize: 13, fontWeight: 600 }}
    >
      {other.code === 'ko' ? '가' : 'A'}
    </IconButton>
  );
}
