import { teamRoles } from '@rewardhook/contract/rights';
import { NativeSelect } from '@mantine/core';
import type { NativeSelectProps } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { ConsoleRole } from '../../../data/types.ts';

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
      data={teamRoles.map((value) => ({ value, label: t(`roles.${value}`) }))}
    />
  );
}
