import { NativeSelect } from '@mantine/core';
import type { NativeSelectProps } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { ConsoleRole } from '../../../data/types.ts';

const roles = ['owner', 'developer', 'viewer'] as const satisfies ConsoleRole[];

/** Selects a role. */
export function RoleSelect({
  onRole,
  ...others
}: NativeSelectProps & { onRole: (role: ConsoleRole) => void }) {
  const { t } = useTranslation();
  return (
    <NativeSelect
      {...others}
      onChange={(event) => onRole(event.currentTarget.value as ConsoleRole)}
      data={roles.map((value) => ({ value, label: t(`roles.${value}`) }))}
    />
  );
}
