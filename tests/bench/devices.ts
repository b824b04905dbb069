import { withClient } from '../../server/core/database/roles'
import { createToken, hashOf } from '../../server/core/tokens/token'

/** Inserts devices with their tokens as rows: the plan of the account allows fewer. */
export const insertDevices = async (
  url: string,
  { projectId, kind, count, protocol }: { projectId: string; kind: string; count: number; protocol: 'teasel' | 'ddi' },
): Promise<{ name: string; token: string }[]> => {
  const made = Array.from({ length: count }, (_, n) => ({ name: `${kind}-${n}`, token: createToken('dvc') }))
  await withClient(url, async (client) => {
    await client.query(
      `insert into devices (id, created_at, updated_at, revision, project_id, name, serial_number, hardware_model, protocol, lifecycle, enrollment)
       select '01K' || upper(substr(md5($1 || name), 1, 23)), now(), now(), 1, $1, name, name, 'gw', $2, 'active', 'pre_enrolled'
       from unnest($3::text[]) as name`,
      [projectId, protocol, made.map(({ name }) => name)],
    )
    await client.query(
      `insert into device_tokens (token_hash, project_id, device_id, prefix, created_at)
       select hash, $1, devices.id, '', now()
       from unnest($2::text[], $3::text[]) as given (name, hash)
       join devices on devices.project_id = $1 and devices.name = given.name`,
      [projectId, made.map(({ name }) => name), made.map(({ token }) => hashOf(token))],
    )
  })
  return made
}
