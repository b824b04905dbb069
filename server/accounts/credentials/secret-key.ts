import type { Deps } from '../../core/deps'
import { listKeyNames } from '../../core/tokens/seal'
import { listSealedSecrets } from './sealed-secrets.repository'

/**
 * Logs an error if stored secrets were encrypted with a key that this process does not have: otherwise the first who notices is a
 * person who cannot sign in, and what is encrypted until then is lost when the former key returns.
 */
export const reportOtherSecretKey = async ({ db, config, log }: Pick<Deps, 'db' | 'config' | 'log'>): Promise<void> => {
  const sealed = await listSealedSecrets(db)
  // The key of the database is created at its first use: a new installation stays empty, for a restore.
  if (sealed.length === 0) return
  const known = await listKeyNames(db, { config })
  const lost = sealed.filter(({ key }) => !known.includes(key))
  for (const { kind, n } of lost)
    log.error(
      { [kind]: n },
      'TEASEL_SECRET_KEY is not the key with which these secrets were encrypted: set the former one again, and do not change it',
    )
}
