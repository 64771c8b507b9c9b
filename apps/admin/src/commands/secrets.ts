import { countSealedSecrets, resealSecrets } from '@rewardhook/database/operations';
import { command } from '../command.ts';

export const secretsStatus = command({
  description:
    'Count the stored secrets by the key of SECRETS_KEY that opens them. A key that opens none can be removed. The ' +
    'exit code is 1 when a secret opens with none.',
  audit: null,
  required: {},
  async run(_options, { database, sealer }) {
    const counts = await countSealedSecrets(database, sealer);
    return { document: counts, ok: counts.none.identitySecrets + counts.none.signingKeys === 0 };
  },
});

export const secretsRotate = command({
  description:
    'Seal every stored secret again with the first key of SECRETS_KEY. It can be interrupted and run again. The exit ' +
    'code is 1 when a secret opens with none of the keys.',
  audit: 'secrets.rotated',
  required: {},
  async run(_options, { database, sealer }) {
    const resealed = await resealSecrets(database, sealer);
    const { keys } = await countSealedSecrets(database, sealer);
    return { document: { ...resealed, keys }, ok: resealed.unopened.count === 0 };
  },
});
