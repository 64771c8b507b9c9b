import { PasswordInput } from '@mantine/core';
import type { PasswordInputProps } from '@mantine/core';
import { useTranslation } from 'react-i18next';

interface PasswordFieldProps extends PasswordInputProps {
  /** Whether the field asks for a new password. */
  isNew?: boolean;
}

/** A password field. For a new password, it shows the rule. */
export function PasswordField({ isNew = false, ...props }: PasswordFieldProps) {
  const { t } = useTranslation();
  return (
    <PasswordInput
      label={t('fields.password')}
      description={isNew ? t('rules.newPassword') : undefined}
      autoComplete={isNew ? 'new-password' : 'current-password'}
      required
      visibilityToggleFocusable
      visibilityToggleButtonProps={{ 'aria-label': t('fields.showPassword') }}
      {...props}
    />
  );
}
