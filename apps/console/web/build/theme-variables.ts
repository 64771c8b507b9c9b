import {
  convertCssVariables,
  defaultCssVariablesResolver,
  DEFAULT_THEME,
  mergeMantineTheme,
} from '@mantine/core';
import type { Plugin } from 'vite';
import { theme } from '../src/app/theme.ts';

/**
 * Fills `theme-variables.css` with the theme's CSS variables. MantineProvider would write them into a `<style>`
 * element, which the page's content security policy blocks.
 */
export function themeVariables(): Plugin {
  return {
    name: 'theme-variables',
    enforce: 'pre',
    transform: (_code, id) => {
      if (!id.endsWith('/app/theme-variables.css')) return undefined;
      return convertCssVariables(
        defaultCssVariablesResolver(mergeMantineTheme(DEFAULT_THEME, theme)),
        ':root',
      );
    },
  };
}
