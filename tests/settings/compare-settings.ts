import Joi from 'joi';
import { declaredSettings } from '@rewardhook/process';
import type { DeclaredSetting } from '@rewardhook/process';
import type { DocumentedSetting } from './documented-settings.ts';

/** Where the documented settings and the schemas of the processes differ; one line for each difference. */
export function settingDifferences(
  documented: DocumentedSetting[],
  schemas: Record<string, Joi.PartialSchemaMap>,
): string[] {
  const unknown = documented
    .filter(({ name, process }) => !Object.hasOwn(schemas[process] ?? {}, name))
    .map(({ name, process }) => `${name} is documented for ${process}, which does not read it`);
  const differences = Object.entries(schemas).flatMap(([process, schema]) =>
    declaredSettings(schema).flatMap((declared) => {
      const rows = documented.filter((row) => row.process === process && row.name === declared.name);
      const [row] = rows;
      const say = (text: string) => `${declared.name} of ${process} ${text}`;
      if (!row || rows.length > 1) return [say(`has ${rows.length} rows in docs/operations/settings.md`)];
      const value = declaredValue(declared);
      const found = [];
      if (row.secret !== declared.secret)
        found.push(say(`is ${declared.secret ? 'a secret, which is not documented' : 'no secret'}`));
      // A default that the process computes from another setting is written with that setting: `http://…:<API_PORT>`.
      const computed = value === 'none' && row.value.includes('<');
      if (!computed && row.value !== value)
        found.push(say(`has the default ${value}, documented is ${row.value}`));
      const refused = refusal(schema, declared.name, declared.default);
      if (refused) found.push(say(`refuses its own default: ${refused}`));
      return found;
    }),
  );
  return [...unknown, ...differences];
}

function declaredValue({
  required,
  default: value,
}: {
  required: boolean;
  default: DeclaredSetting['default'];
}): string {
  if (required) return 'required';
  return value === undefined ? 'none' : String(value);
}

/** Why a setting refuses its default when it is given as a text, as the environment does. */
function refusal(
  schema: Joi.PartialSchemaMap,
  name: string,
  value: DeclaredSetting['default'],
): string | undefined {
  if (value === undefined) return undefined;
  const { error } = Joi.object(schema).validate({ [name]: String(value) }, { abortEarly: false });
  return error?.details.find(({ path }) => path[0] === name)?.message;
}
