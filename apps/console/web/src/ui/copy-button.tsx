import { ActionIcon, Tooltip } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

/** Copies a value. `name` is its accessible name, such as "Secret key". */
export function CopyButton({
  value,
  name,
  size = 'sm',
}: {
  value: string;
  name: string;
  size?: 'sm' | 'md';
}) {
  const { t } = useTranslation();
  const { copied, copy } = useClipboard({ timeout: 1_500 });
  const Icon = copied ? IconCheck : IconCopy;
  return (
    <Tooltip label={copied ? t('common.copied') : t('common.copy')} withArrow>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={size}
        aria-label={t('common.copyNamed', { name })}
        onClick={() => copy(value)}
      >
        <Icon size={size === 'sm' ? 14 : 16} aria-hidden />
        <span className="visually-hidden" role="status">
          {copied ? t('common.copied') : ''}
        </span>
      </ActionIcon>
    </Tooltip>
  );
}
