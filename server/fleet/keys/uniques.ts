/** What a refusal says when one of these constraints of the table is broken. */
export const keyUniques = new Map([
  ['signing_keys_project_name', { field: 'name', code: 'taken', message: 'A key with this name exists already' }],
  ['signing_keys_project_fingerprint', { field: 'public_key_pem', code: 'taken', message: 'This key is registered already' }],
])
