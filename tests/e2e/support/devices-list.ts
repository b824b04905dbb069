import type { Console } from './console'
import { projectOf } from './draft'
import { newUser } from './hosts'

/** Devices `gw-001` and on: of three kernels, every fifth disabled, every fourth tagged `roof`, every sixth `lab`. */
export const openDevicesList = async ({ hosts, open }: Console, count: number) => {
  const ines = await newUser(hosts())
  const projectId = await projectOf(hosts(), ines)
  const { sql } = hosts()
  const id = `'01K' || upper(substr(md5($1), 1, 16)) || lpad((n)::text, 7, '0')`
  await sql(
    `insert into devices (id, created_at, updated_at, project_id, name, hardware_model, lifecycle, enrollment, last_seen_at,
       installed_version, installed_name, installed_at, attributes)
     select ${id}, now(), now(), $1, 'gw-' || lpad(n::text, 3, '0'), 'gw', case when n % 5 = 0 then 'disabled' else 'active' end,
       'simulated', now(), 1 + n % 3, 'Firmware', now(), jsonb_build_object('kernel', '6.' || n % 3)
     from generate_series(1, ${count}) as n`,
    [projectId],
  )
  for (const [name, every] of [
    ['roof', 4],
    ['lab', 6],
  ] as const) {
    await sql(
      `insert into tags (id, created_at, updated_at, project_id, name, colour)
       select '01K' || upper(substr(md5($1 || $2), 1, 23)), now(), now(), $1, $2, 'moss'`,
      [projectId, name],
    )
    await sql(
      `insert into device_tags (project_id, device_id, tag_id)
       select $1, ${id}, (select id from tags where project_id = $1 and name = $2) from generate_series(1, ${count}) as n where n % ${every} = 0`,
      [projectId, name],
    )
  }
  const page = await (await open(ines)).newPage()
  await page.goto(`${hosts().console}/organizations/none/projects/${projectId}/devices/list`)
  await page.getByRole('link', { name: 'gw-001' }).waitFor()
  return { ines, projectId, page }
}
