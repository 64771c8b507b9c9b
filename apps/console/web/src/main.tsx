import '@mantine/core/styles.css';
import './app/theme-variables.css';
import './app/global.css';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.tsx';
import { chosenLanguage } from './i18n/language.ts';
import { startI18n } from './i18n/start-i18n.ts';

const i18n = await startI18n(chosenLanguage());
createRoot(document.getElementById('root') as HTMLElement).render(<App i18n={i18n} />);
