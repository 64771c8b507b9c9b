import { useTranslation } from 'react-i18next';

/** Checks of form fields before a form is sent. Each returns an error message in the chosen language, or null. */
export function useFormRules() {
  const { t } = useTranslation();
  const required = (value: string) => (value.trim() ? null : t('rules.required'));
  return {
    required,
    email: (value: string) =>
      /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/.test(value.trim()) ? null : t('rules.email'),
    newPassword: (value: string) => {
      const { length } = Array.from(value);
      return length < 12 || length > 256 ? t('rules.password') : null;
    },
    url: (value: string) => {
      try {
        return /^https?:$/.test(new URL(value).protocol) ? null : t('rules.url');
      } catch {
        return t('rules.url');
      }
    },
  };
}
