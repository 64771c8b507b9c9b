import { httpSettings, publicUrlSetting } from './environment.ts';
import { readSettings } from './read-settings.ts';

const read = (url: string) =>
  readSettings<{ PUBLIC_URL: string }>({ PUBLIC_URL: publicUrlSetting('PUBLIC_URL') }, { PUBLIC_URL: url });

describe('A public URL', () => {
  it.each(['https://rewards.example.com', 'https://rewards.example.com:8443/', 'http://127.0.0.1:3000'])(
    'may be the root of a host: %s',
    (url) => {
      expect(read(url).PUBLIC_URL).toBe(url);
    },
  );

  it.each([
    'https://example.com/rewards',
    'https://example.com/rewards/',
    'https://example.com/?a=b',
    'https://example.com/#top',
  ])('is refused when the process starts if it has a path: %s', (url) => {
    expect(() => read(url)).toThrow('PUBLIC_URL" must have no path');
  });
});

describe('HTTP_KEEP_ALIVE_SECONDS', () => {
  it.each([
    ['0', undefined],
    ['620', 620],
    ['3601', undefined],
  ])('%s is read as %p', (text, seconds) => {
    const settings = () =>
      readSettings<{ HTTP_KEEP_ALIVE_SECONDS: number }>(httpSettings, { HTTP_KEEP_ALIVE_SECONDS: text });
    if (seconds === undefined) expect(settings).toThrow('HTTP_KEEP_ALIVE_SECONDS');
    else expect(settings().HTTP_KEEP_ALIVE_SECONDS).toBe(seconds);
  });
});
