import { useMantineColorScheme } from '@mantine/core';
import { IconDeviceDesktop, IconMoon, IconSun } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { IconButton } from '../ui/icon-button.tsx';

const next = { auto: 'light', light: 'dark', dark: 'auto' } as const;
const icons = { auto: IconDeviceDesktop, light: IconSun, dark: IconMoon };

/** Cycles through the colour schemes system, light and dark. */
export function SchemeSwitch() {
  const { t } = useTranslation();
  // Mantine disables transitions with a <style> element, which the content security policy blocks.
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const Icon = icons[colorScheme];
  return (
    <IconButton label={t(`shell.scheme.${colorScheme}`)} onClick={() => setColorScheme(next[colorScheme])}>
      <Icon size={17} stroke={1.7} aria-hidden />
    </IconButton>
  );
}
