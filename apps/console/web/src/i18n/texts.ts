import type { en } from './en/index.ts';

/** All texts of the console. A language that lacks a text does not compile. */
export type Texts = typeof en;

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'console';
    resources: { console: Texts };
  }
}
