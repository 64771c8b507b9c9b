import { PasswordInput } from '@mantine/core';
import type { PasswordInputProps } from '@mantine/core';
import { useTranslation } from 'react-i18next';

interface PasswordFieldProps extends PasswordInputProps {
  /** Whether a new one is chosen; else one is typed in that was chosen before. */
  fresh?: boolean;
}

/** A field for a password, with the rule for new ones. */
export function PasswordField({ fresh = false, ...props }: PasswordFieldProps) {
  const { t } = useTranslation();
  return (
    <PasswordInput
      label={t('fields.password')}
      description={fresh ? t('rules.newPassword') : undefined}
      autoComplete={fresh ? 'new-password' : 'current-password'}
      required
      visibilityToggleFocusable
      visibilityToggleButtonProps={{ 'aria-label': t('fields.showPassword') }}
      {...props}
    />
  );
}
