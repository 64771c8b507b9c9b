import {
  convertCssVariables,
  defaultCssVariablesResolver,
  DEFAULT_THEME,
  mergeMantineTheme,
} from '@mantine/core';
import type { Plugin } from 'vite';
import { theme } from '../src/app/theme.ts';

const name = 'virtual:theme-variables.css';

/**
 * Serves the theme's CSS variables as a stylesheet. MantineProvider would write them into a `<style>` element, which the
 * page's content security policy refuses.
 */
export function themeVariables(): Plugin {
  return {
    name: 'theme-variables',
    resolveId: (id) => (id === name ? `\0${name}` : undefined),
    load: (id) => {
      if (id !== `\0${name}`) return undefined;
      return convertCssVariables(
        defaultCssVariablesResolver(mergeMantineTheme(DEFAULT_THEME, theme)),
        ':root',
      );
    },
  };
}
