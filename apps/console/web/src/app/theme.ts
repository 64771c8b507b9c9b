import type { MantineColorsTuple, MantineThemeOverride } from '@mantine/core';

const indigo: MantineColorsTuple = [
  '#f0f1fe',
  '#e0e2fc',
  '#c3c6f8',
  '#a3a7f3',
  '#868af0',
  '#6a6eea',
  '#5458e0',
  '#4b4fd6',
  '#3f43b8',
  '#353896',
];

/** Bluish greys, like the panels of the dark theme. */
const dark: MantineColorsTuple = [
  '#c9cfd8',
  '#a3abb8',
  '#828b99',
  '#5b6472',
  '#3a404b',
  '#2b2f37',
  '#1f232a',
  '#191c21',
  '#14171b',
  '#0f1114',
];

const sans =
  "'Pretendard Variable', Pretendard, Inter, -apple-system, BlinkMacSystemFont, 'Segoe UI', 'Apple SD Gothic Neo', 'Noto Sans KR', NanumSquare, 'Malgun Gothic', sans-serif";

/** The Mantine theme. The build writes its CSS variables into a stylesheet. */
export const theme: MantineThemeOverride = {
  primaryColor: 'indigo',
  primaryShade: { light: 7, dark: 7 },
  colors: { indigo, dark },
  defaultRadius: 'md',
  cursorType: 'pointer',
  // Mantine's transitions wait for timers and frames, which the style sheet does not shorten.
  respectReducedMotion: true,
  fontFamily: sans,
  fontFamilyMonospace:
    "'JetBrains Mono', 'SF Mono', SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace",
  headings: { fontFamily: sans, fontWeight: '640' },
  components: {
    // Mantine locks scrolling with a <style> element, which the content security policy blocks. global.css does it instead.
    Modal: { defaultProps: { lockScroll: false, centered: true, radius: 'lg' } },
    Switch: { defaultProps: { withThumbIndicator: false } },
    Drawer: { defaultProps: { lockScroll: false } },
  },
};
