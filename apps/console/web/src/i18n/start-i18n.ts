import { createInstance } from 'i18next';
import type { i18n } from 'i18next';
import { initReactI18next } from 'react-i18next';
import { rememberLanguage } from './language.ts';
import type { Language } from './language.ts';
import type { Texts } from './texts.ts';

const load: Record<Language, () => Promise<Texts>> = {
  en: () => import('./en/index.ts').then(({ en }) => en),
  ko: () => import('./ko/index.ts').then(({ ko }) => ko),
};

/** Loads the texts of one language and starts i18next with them. */
export async function startI18n(language: Language): Promise<i18n> {
  const instance = createInstance();
  await instance.use(initReactI18next).init({
    lng: language,
    fallbackLng: false,
    defaultNS: 'console',
    resources: { [language]: { console: await load[language]() } },
    // React escapes by itself.
    interpolation: { escapeValue: false },
  });
  document.documentElement.lang = language;
  return instance;
}

/** Changes to another language, loading its texts when they are not there yet. */
export async function changeLanguage(instance: i18n, language: Language): Promise<void> {
  if (!instance.hasResourceBundle(language, 'console'))
    instance.addResourceBundle(language, 'console', await load[language]());
  await instance.changeLanguage(language);
  document.documentElement.lang = language;
  rememberLanguage(language);
}
